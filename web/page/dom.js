// Elements are made from text only: nothing in a file or its name becomes markup.

export const byId = (id) => document.getElementById(id);

/** Makes an element. Children are elements or text. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else if (value !== false && value !== undefined) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");

/** Bytes in hex, separated by spaces. */
export const hexes = (bytes) => Array.from(bytes, hex).join(" ");

/** Code points of a text: U+0041 U+0301. */
export const codePoints = (text) =>
  Array.from(text, (ch) => `U+${ch.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`).join(" ");

/** Names of control characters, for charts. */
const CONTROLS =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
    " ",
  );

/** What stands for a character that has no shape of its own. */
export function visible(text) {
  const code = text.codePointAt(0);
  if (code < 0x20) return CONTROLS[code];
  if (code === 0x20) return "SP";
  if (code === 0x7f) return "DEL";
  if (code === 0x85) return "NEL";
  if (code === 0xa0) return "NBSP";
  if (code === 0xad) return "SHY";
  if (code > 0x7f && code < 0xa0) return code.toString(16).toUpperCase();
  if (/^[\p{C}\p{Z}]$/u.test(text)) return codePoints(text).slice(2);
  return text;
}

/** One column wide in a dump: a dot for what has no shape. */
export const shape = (text) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "·").replace(/[\p{M}]/gu, "◌$&");
