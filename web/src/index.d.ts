/** charpipe: detects encodings, converts between them, and corrects the document's own label. */

/** Bytes in any form. They must not change before a call, or the promise of a write, has ended. */
export type Bytes = ArrayBuffer | ArrayBufferView | SharedArrayBuffer;

/**
 * The options of a conversion. Their names are those of the command's long options, in camel case;
 * docs/reference/convert.md of the project explains them. `options()` lists them.
 */
export interface Options {
  /** The encoding of the input. The default, `auto`, detects it. */
  from?: string;
  /** The encoding of the output. The default is UTF-8. */
  to?: string;
  /** The encoding to use if nothing identifies it: several, separated by commas, are tried in turn. */
  fallback?: string;
  ebcdicFallback?: string;
  /** Guess from byte statistics if nothing else decides. */
  guess?: boolean;
  as?: "auto" | "xml" | "html" | "text";
  contentType?: string;
  policy?: "rfc7303" | "rfc3023" | "rome-strict" | "rome-lenient" | "feedparser" | "whatwg";
  prescan?: number;
  /** Treat every warning as an error. */
  strict?: boolean;
  unknown?: "fail" | "pass";
  /** What to do with malformed input; a label reads it as bytes of that encoding. The default is `fail`. */
  malformed?: "fail" | "replace" | "drop" | "escape" | (string & {});
  /** What to do with characters that the target lacks. The default is `xml` in XML, otherwise `fail`. */
  unmappable?: "fail" | "replace" | "drop" | "xml" | "escape" | "translit";
  bestFit?: boolean;
  /** Correct the document's own label. */
  relabel?: "auto" | "never";
  bom?: "auto" | "keep" | "add" | "strip";
  eol?: "auto" | "keep" | "lf" | "crlf" | "nel";
  ebcdicNl?: "table" | "zos" | "fold";
  controls?: "keep" | "space" | "drop" | "error" | "xml";
  /** Text that was decoded with the wrong charset before, such as `Ã©` for `é`. Only in the build `all`. */
  mojibake?: "keep" | "repair";
  /** Only in the build `all`. */
  normalize?: "nfc" | "nfd" | "nfkc" | "nfkd";
  /** The record format of the input: `fb:80`, `rdw`, `vb` … */
  records?: string;
  tapeFile?: string | number;
  toRecords?: string;
  /** What is removed at the end of a record. */
  trim?: "blanks" | "nuls" | "blanks,nuls" | "none";
  /** The first column of a record moves the paper. */
  carriageControl?: "asa" | "machine";
  columns?: string;
  gaps?: "drop" | "hex" | "keep";
  shiftBlanks?: boolean;
  recordNewlines?: "keep" | "space" | "error";
  overlong?: "fail" | "cut";
  /** Has no effect here: a module has one thread. */
  jobs?: number;
}

/** An error of any function. */
export class CharpipeError extends Error {
  /** A short name that never changes: `malformed`, `unmappable`, `unknown-label`, `bad-option` … */
  readonly code: string;
  /** The position in the input, in bytes from 0. */
  readonly offset?: number;
  /** The line of the text or of a layout, and the character in it, both from 1. Of a text only in the build `all`. */
  readonly line?: number;
  readonly column?: number;
  /** The record, from 1, if the input consists of records. Then `column` is the byte in it, from 1. */
  readonly record?: number;
  /** The malformed bytes. */
  readonly bytes?: Uint8Array;
  /** The unmappable character. */
  readonly char?: string;
  /** Of `convert`: the good output before the error. */
  output?: Uint8Array;
  /** Of `convert`: the report. */
  report?: Report;
  /** Of `decode`: the good text before the error. */
  text?: string;
}

export interface Diagnostic {
  code: string;
  severity: "warning" | "hint";
  message: string;
  offset: number;
  /** The line and the character in it, both from 1; null if they are not known. */
  line: number | null;
  column: number | null;
}

/** An error within a verdict or a report. */
export interface Failure {
  code: string;
  message: string;
  offset: number | null;
  /** The line and the character in it, both from 1; null if there are no lines. */
  line?: number | null;
  column?: number | null;
  /** The record, from 1, in an input of records. Then `column` is the byte in it. */
  record?: number;
}

/** The result of detection: the object of `charpipe detect --json`. */
export interface Verdict {
  encoding: string | null;
  codec: string | null;
  family: string;
  kind: "xml" | "html" | "text";
  /** The bytes of the signature and of the byte order mark, in hex. */
  signature: string | null;
  bom: string | null;
  declared: string | null;
  /** Where the declared name begins and ends, in bytes from 0. */
  declared_span: [number, number] | null;
  charset: string | null;
  ascii: boolean;
  looks: string | null;
  policy: string;
  rule: string | null;
  source: string | null;
  candidates: { codec: string; score: number }[];
  diagnostics: Diagnostic[];
  error: Failure | null;
}

interface Faults<Fault> {
  count: number;
  /** The first 16. */
  first: (Fault & { offset: number; line: number | null; column: number | null; record?: number })[];
}

/** The report of a conversion: the object of `charpipe --report`. */
export interface Report {
  from: string | null;
  to: string;
  verdict: Verdict | null;
  bytes_in: number;
  bytes_out: number;
  malformed: Faults<{ bytes: string }> & { read_as: string | null };
  unmappable: Faults<{ char: string }>;
  relabelled: { from: string | null; to: string } | null;
  records: number | null;
  passed: boolean;
  diagnostics: Diagnostic[];
  error: Failure | null;
  [key: string]: unknown;
}

/**
 * Loads the WebAssembly module, which all functions use. Call it once, and await it, before the others.
 *
 * `web` (the default) has the encodings of the web, of EBCDIC and of DOS. `all` has all encodings, `unmappable:
 * "translit"`, `mojibake`, `normalize`, `explain`, `records`, `sniff` and `fields`. `small` lacks those of the web, which
 * TextDecoder has. Other sources are the bytes of the module, a response, a URL, or a compiled module.
 */
export function load(
  source?: "web" | "all" | "small" | URL | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module,
): Promise<void>;

/** Does the same at once. Browsers allow this outside of workers only for compiled modules. */
export function loadSync(source: BufferSource | WebAssembly.Module): void;

/** Decodes bytes to a string. Without `from`, detects the encoding. A byte order mark is dropped. */
export function decode(input: Bytes, options?: Omit<Options, "to">): string;

/**
 * Encodes a string. Its labels stay as they are, unless `relabel` is `auto`. Half a surrogate pair becomes U+FFFD, as
 * in TextEncoder. U+FEFF at the beginning is a byte order mark, which `bom` decides about: by default it is dropped. The
 * offset of an error counts the bytes of the string in UTF-8.
 */
export function encode(text: string, to: string, options?: Omit<Options, "from" | "to">): Uint8Array;

/**
 * Decodes many values with the same options: it gives what `decode` gives for each of them, and takes less time for a short
 * one. It holds some of the module's memory until it is closed, or collected.
 */
export class Decoder {
  constructor(options?: Omit<Options, "to">);
  decode(input: Bytes): string;
  close(): void;
}

/** Encodes many values with the same options: what `encode` gives for each of them. */
export class Encoder {
  constructor(to: string, options?: Omit<Options, "from" | "to">);
  encode(text: string): Uint8Array;
  close(): void;
}

/** Converts bytes. */
export function convert(input: Bytes, options?: Options): { bytes: Uint8Array; report: Report };

/** Detects the encoding of bytes. If `input` is only the beginning, give at least the first 64 KiB. */
export function detect(input: Bytes, options?: Options): Verdict;

/** Lists the encodings of the module. */
export function names(): {
  name: string;
  aliases: string[];
  decode: boolean;
  encode: boolean;
  source: string | null;
  description: string;
  ebcdic: boolean;
  single_byte: boolean;
}[];

/** Lists the options. */
export function options(): { name: string; value: "word" | "label" | "labels" | "flag" | "text"; words: string[] }[];

/** Returns the version of charpipe. */
export function version(): string;

/**
 * Returns a code chart: what each of the 256 bytes is after the bytes `lead`, which include a shift code if one is
 * needed. A cell is the text of the byte; `{ leads: true }` if more bytes follow; or null.
 */
export function chart(
  label: string,
  lead?: Bytes,
): { codec: string; lead: string; single_byte: boolean; cells: (string | { leads: true } | null)[] };

/**
 * Returns what the bytes are in an encoding: a cell `[bytes, text]` for each character. The text is null for malformed
 * bytes and 0 for shift codes. Only in the build `all`.
 */
export function explain(
  label: string,
  input: Bytes,
  isLast?: boolean,
): { codec: string; cells: [number, string | null | 0][] };

/** Returns where the records are: lists of `[offset, length]`. Only in the build `all`. */
export function records(
  shape: string,
  input: Bytes,
  isLast?: boolean,
): { records: [number, number][][]; read: number; error: Failure | null };

/** Returns the record formats that an input may have, the best first. Only in the build `all`. */
export function sniff(input: Bytes, isLast?: boolean): { shape: string; survives: boolean; why: string[] }[];

/** A field of a record. */
export interface Field {
  /** Its name, after those of its groups, with the numbers of occurrences: `CUSTOMER.PHONE[2]`. */
  name: string;
  /** Where it begins in the record, in bytes from 0, and how many bytes it has. */
  offset: number;
  length: number;
  kind: string;
  /** The picture and the usage of a copybook. */
  picture: string;
  /** The value as text, so that numbers are exact; bytes are in hex. Null if there is none. */
  value: string | null;
  /** Why the bytes are no value. */
  error: { code: string; message: string } | null;
}

/**
 * The options of `charpipe rows` that have a meaning for one record. Every name and value is that of the command; in a name,
 * a capital letter stands for a hyphen and the letter.
 */
export interface RecordOptions {
  layoutFormat?: "auto" | "copybook" | "copybook-fixed" | "copybook-free" | "fields" | "json";
  /** Words of a copybook to replace: `"==:TAG:== BY ==CUST=="`. */
  replacing?: string | string[];
  /** In pictures, the decimal point is a comma: `DECIMAL-POINT IS COMMA`. */
  decimalComma?: boolean;
  /** The record of a copybook or a program to read, by the name of its level 01. */
  recordName?: string;
  /** The counts for the values of a field that an OCCURS of a copybook depends on: `"SIZE:A=1,B=2"`. */
  countMap?: string | string[];
  /** The format of COMP-1 and COMP-2 in a copybook. */
  float?: "ibm" | "ieee";
  /** The byte order of COMP-5 and the like in a copybook. */
  byteOrder?: "big" | "little";
  /** The characters of zoned numbers in a copybook. */
  zonedSigns?: "auto" | "ebcdic" | "ascii" | "ascii-p";
  /** Which record type applies to a record: `"TYPE=C: CLIENT"`. */
  when?: string | string[];
  /** Make one field of a length and a text at level 49, as Db2 declares a VARCHAR. */
  varchar?: boolean;
  /** Fields that say whether other fields are null: `"NAME=NAME-NULL"`. */
  nullIndicator?: string | string[];
  /** Whether a group of characters is also one field, `_text`. The default is `fields`. */
  groups?: "fields" | "text";
  /** The encoding of the record: IBM037 by default. */
  from?: string;
  /** The fields to read, by name or path. */
  select?: string | string[];
  trim?: "blanks" | "nuls" | "blanks,nuls" | "none";
  /** With `null`, a field that cannot be read does not make the result an error. */
  onBad?: "error" | "null";
  emptyIsNull?: boolean;
  /** Read zoned numbers with blanks or low-values after their digits. */
  looseNumbers?: boolean;
  /** What to do with bytes in text that are not valid in its encoding; a label reads them as bytes of that one. */
  malformed?: "fail" | "replace" | "drop" | "escape" | (string & {});
  shortRecords?: "error" | "null";
  overlong?: "fail" | "cut";
  /** Read FILLER as well. */
  filler?: boolean;
  /** Refuse fields that would be written back as other bytes. */
  exact?: boolean;
  controls?: "keep" | "space" | "drop" | "error" | "xml";
  recordNewlines?: "keep" | "space" | "error";
  /** Fields that contain dates: `"BORN=YYYYMMDD"`. Their values are like `2024-02-29`, or `2024-02-29 12:30:00.000000`. */
  dates?: string | string[];
  /** Replace the hyphens in names. */
  underscores?: boolean;
}

/**
 * Returns the fields of a record. `layout` is a COBOL copybook or a field list.
 *
 * An error in the layout is thrown, with `line` and `column`. A field that cannot be read has an `error` of its own, and the
 * first of them is also the `error` of the result, unless `onBad` is `null`. If the record cannot be read to its end,
 * because a count in it is wrong for example, the result has the `error` and the fields before it; likewise if it goes on
 * after the layout, unless `overlong` is `cut`. `cut` is true if there are more than 10,000 fields, or more than 16 MiB of
 * values. Only in the build `all`, which reads no layouts in JSON.
 */
export function fields(
  layout: string | Bytes,
  record: Bytes,
  options?: RecordOptions,
): {
  codec: string;
  /** The name of the record in the layout. */
  record: string | null;
  /** The lengths of the shortest and of the longest record. */
  lengths: [number, number];
  /** The length that the layout gives this record. */
  length: number | null;
  /** The type of the record, if a rule applies. */
  type: string | null;
  fields: Field[];
  cut: boolean;
  error: (Failure & { bytes: string; field: string | null }) | null;
};

/**
 * The options of `charpipe rows` that decide which columns rows have. Every name and value is that of the command; in a
 * name, a capital letter stands for a hyphen and the letter.
 */
export interface SchemaOptions {
  layoutFormat?: "auto" | "copybook" | "copybook-fixed" | "copybook-free" | "fields" | "json";
  /** Words of a copybook to replace: `"==:TAG:== BY ==CUST=="`. */
  replacing?: string | string[];
  /** In pictures, the decimal point is a comma: `DECIMAL-POINT IS COMMA`. */
  decimalComma?: boolean;
  /** The record of a copybook or a program to read, by the name of its level 01. */
  recordName?: string;
  /** The counts for the values of a field that an OCCURS of a copybook depends on: `"SIZE:A=1,B=2"`. */
  countMap?: string | string[];
  /** The format of COMP-1 and COMP-2 in a copybook. */
  float?: "ibm" | "ieee";
  /** The byte order of COMP-5 and the like in a copybook. */
  byteOrder?: "big" | "little";
  /** The characters of zoned numbers in a copybook. */
  zonedSigns?: "auto" | "ebcdic" | "ascii" | "ascii-p";
  /** Which record type applies to a record: `"TYPE=C: CLIENT"`. */
  when?: string | string[];
  /** The types of parents: `"ACCOUNT < CUSTOMER: ID"` adds a column with the parent's `ID`. */
  parent?: string | string[];
  /** Make one field of a length and a text at level 49, as Db2 declares a VARCHAR. */
  varchar?: boolean;
  /** Fields that say whether other fields are null: `"NAME=NAME-NULL"`. */
  nullIndicator?: string | string[];
  /** Whether a group of characters is also one field, `_text`. The default is `fields`. */
  groups?: "fields" | "text";
  /** The encoding of the records: IBM037 by default. */
  from?: string;
  /** The fields that rows have, by name or path. */
  select?: string | string[];
  /** With `null`, the column `_errors` can describe records that cannot be read. */
  onBad?: "error" | "null";
  /** Rows have FILLER as well. */
  filler?: boolean;
  /** Columns that are not fields: `number`, `offset`, `type`, `parent`, `file`, `record`, `errors`. */
  addColumns?: string | string[];
  /** Fields that contain dates: `"BORN=YYYYMMDD"`. */
  dates?: string | string[];
  /** Numbers of up to 18 digits without decimal places are integers. */
  integers?: boolean;
  /** Replace the hyphens in names. */
  underscores?: boolean;
}

/**
 * Returns the columns that the rows of a layout have, and their types, as text for another program: a `CREATE TABLE`, a
 * JSON Schema, a record of Avro, or a `StructType` of Spark as JSON. `layout` is a COBOL copybook or a field list. An
 * error in the layout is thrown, with `line` and `column`. Only in the build `all`. The schema of Arrow, which is not
 * text, is at the command and in Python only.
 */
export function schema(
  layout: string | Bytes,
  format: "duckdb" | "postgresql" | "db2" | "sqlite" | "json-schema" | "avro" | "spark",
  options?: SchemaOptions,
): string;

/**
 * Converts bytes to bytes, piece by piece. An error comes after all good output. Nothing is converted before the reader
 * asks for it, apart from one piece of at most 256 KiB.
 */
export class ConverterStream {
  constructor(options?: Options);
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Bytes>;
  readonly verdict: Verdict | null;
  readonly report: Report | null;
}

/** Decodes bytes to strings, piece by piece: like TextDecoderStream, with all options. */
export class DecoderStream {
  constructor(options?: string | Omit<Options, "to">);
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<Bytes>;
  readonly verdict: Verdict | null;
  readonly report: Report | null;
}

/** Encodes strings to bytes, piece by piece. */
export class EncoderStream {
  constructor(to: string, options?: Omit<Options, "from" | "to">);
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<string>;
  readonly verdict: Verdict | null;
  readonly report: Report | null;
}
