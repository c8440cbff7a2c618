/** charpipe: detects encodings, converts between them, and corrects the document's own label. */

/** Bytes in any form. They must not change until the call returns, or until the promise of a write is settled. */
export type Bytes = ArrayBuffer | ArrayBufferView | SharedArrayBuffer;

/** Bytes that a function made: `Uint8Array<ArrayBuffer>`, or `Uint8Array` before TypeScript 5.7, where it has no parameter. */
export type NewBytes = ReturnType<Uint8Array["slice"]>;

/** What `load` accepts: the name of a module of the package, or a module of your own. */
export type Source =
  | "web"
  | "all"
  | "small"
  | URL
  | Response
  | PromiseLike<Response>
  | BufferSource
  | WebAssembly.Module;

/**
 * The options of a conversion. Their names are those of the command's long options, in camel case;
 * docs/reference/convert.md of the project describes them. `options()` lists them.
 *
 *     convert(bytes, { from: "IBM1047", ebcdicNl: "zos" })              // EBCDIC with the newlines of z/OS UNIX
 *     convert(bytes, { malformed: "replace", unmappable: "xml" })
 *     convert(bytes, { from: "IBM037", records: "fb:80" })              // records of 80 bytes as lines
 */
export interface Options {
  /** Encoding of the input. The default, `auto`, detects it. */
  from?: string;
  /** Encoding of the output. The default is UTF-8. */
  to?: string;
  /** Encoding to use if nothing identifies it. Of several, separated by commas, the first one that fits is used. */
  fallback?: string;
  /** Code page to use for EBCDIC input that does not name one. The default is IBM037. */
  ebcdicFallback?: string;
  /** Guess from byte statistics if nothing else identifies the encoding. */
  guess?: boolean;
  /** Kind of document. The default is `auto`. */
  as?: "auto" | "xml" | "html" | "text";
  /** Content-Type of the input, as in `text/xml; charset=utf-8`. */
  contentType?: string;
  /** Which label takes precedence. The default is `rfc7303`. */
  policy?: "rfc7303" | "rfc3023" | "rome-strict" | "rome-lenient" | "feedparser" | "whatwg";
  /** Bytes of HTML to search for a `meta` label. The default is 1024. */
  prescan?: number;
  /** Treat every warning as an error. */
  strict?: boolean;
  /** What to do with input that is not recognised as text: `pass` copies it. The default is `fail`. */
  unknown?: "fail" | "pass";
  /**
   * What to do with invalid input. A label, such as `windows-1252`, reads each invalid byte as a byte of that charset.
   * The default is `fail`.
   */
  malformed?: "fail" | "replace" | "drop" | "escape" | (string & {});
  /** What to do with characters that the target lacks. The default is `xml` for XML, otherwise `fail`. */
  unmappable?: "fail" | "replace" | "drop" | "xml" | "escape" | "translit";
  /** Write similar characters, using the target's one-way mappings. */
  bestFit?: boolean;
  /** Correct the document's encoding declaration. The default is `auto`. */
  relabel?: "auto" | "never";
  /** Byte order mark of the output. The default, `auto`, writes one for UTF-16, UTF-32 and ISO-10646-UCS-4. */
  bom?: "auto" | "keep" | "add" | "strip";
  /** Line endings of the output. The default, `auto`, changes only those of EBCDIC XML, to LF. */
  eol?: "auto" | "keep" | "lf" | "crlf" | "nel";
  /** EBCDIC newlines, in input and output. The default is `table`. */
  ebcdicNl?: "table" | "zos" | "fold";
  /** What to do with control characters, except TAB and the newlines. The default is `keep`. */
  controls?: "keep" | "space" | "drop" | "error" | "xml";
  /** Text that was once decoded with the wrong charset, such as `Ã©` for `é`. Only in the build `all`. */
  mojibake?: "keep" | "repair";
  /** Unicode normalization form of the text. Only in the build `all`. */
  normalize?: "nfc" | "nfd" | "nfkc" | "nfkd";
  /** Read mainframe records as lines: `fb:80`, `rdw`, `vb` … */
  records?: string;
  /** File of a tape image to read, by number (from 1) or data set name. */
  tapeFile?: string | number;
  /** Write mainframe records: `fb:80`, `rdw`, `vb:27998` … */
  toRecords?: string;
  /** What to trim at the end of each record. The default is `blanks` (spaces). */
  trim?: "blanks" | "nuls" | "blanks,nuls" | "none";
  /** Read column 1 as carriage control. */
  carriageControl?: "asa" | "machine";
  /** Bytes of a record that are text, counted from 1: `1-40,57-`. */
  columns?: string;
  /** What to do with bytes outside `columns`. The default is `drop`. */
  gaps?: "drop" | "hex" | "keep";
  /** Replace shift codes with spaces, so that columns stay aligned. */
  shiftBlanks?: boolean;
  /** What to do with newlines inside a record. The default is `error`, and `keep` with `toRecords`. */
  recordNewlines?: "keep" | "space" | "error";
  /** What to do with text that is too long for its record. The default is `fail`. */
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
  /** The line of the text or of a layout, and the column in characters, both from 1. For text only in the build `all`. */
  readonly line?: number;
  readonly column?: number;
  /** The record, from 1, if the input consists of records. Then `column` is the byte in it, from 1. */
  readonly record?: number;
  /** The malformed bytes. */
  readonly bytes?: NewBytes;
  /** The unmappable character. */
  readonly char?: string;
  /** The output before the error; only from `convert`. */
  output?: NewBytes;
  /** The report; only from `convert`. */
  report?: Report;
  /** The text before the error; only from `decode`. */
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
  /** The beginning and end of the declared name, in bytes from 0. */
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
 * `web` (the default) has the encodings of the web, of EBCDIC and of DOS. `all` has all encodings,
 * `unmappable: "translit"`, `mojibake`, `normalize`, `explain`, `records`, `sniff`, `fields` and `rows`. `small` lacks those of
 * the web, which TextDecoder has. You can also pass the bytes of the module, a response, a URL, or a compiled module.
 *
 *     await load();
 *     decode(new Uint8Array([0xc8, 0x89]), { from: "IBM1047" });  // "Hi"
 */
export function load(source?: Source): Promise<void>;

/** Loads the module synchronously. Outside of workers, browsers allow this only for compiled modules. */
export function loadSync(source: BufferSource | WebAssembly.Module): void;

/**
 * Decodes bytes to a string. Without `from`, detects the encoding. A byte order mark is dropped.
 *
 * After some dozens of calls with the same `from` and no option but `as: "text"` or `malformed: "replace"`, most is looked
 * up in a table of 256 KiB. A module keeps at most 16 tables, for all functions and classes.
 *
 *     decode(bytes, { from: "windows-1252", malformed: "replace" })
 */
export function decode(input: Bytes, options?: Omit<Options, "to">): string;

/**
 * Encodes a string. Its labels are not changed, unless `relabel` is `auto`. Half a surrogate pair becomes U+FFFD, as in
 * TextEncoder. U+FEFF at the beginning is a byte order mark, and is dropped unless `bom` says otherwise. The offset of
 * an error counts the bytes of the string in UTF-8.
 *
 *     encode("5 €", "ISO-8859-1", { unmappable: "translit" })
 */
export function encode(text: string, to: string, options?: Omit<Options, "from" | "to">): NewBytes;

/**
 * Decodes many values with the same options. Each result is the same as from `decode`, but a short value takes less
 * time. The tables are the same, and are made after a thousand short values, or fewer longer ones. The decoder holds some of
 * the module's memory until it is closed or garbage-collected.
 */
export class Decoder {
  constructor(options?: Omit<Options, "to">);
  decode(input: Bytes): string;
  close(): void;
}

/** Encodes many values with the same options, likewise. Each result is the same as from `encode`. */
export class Encoder {
  constructor(to: string, options?: Omit<Options, "from" | "to">);
  encode(text: string): NewBytes;
  close(): void;
}

/**
 * Converts bytes from one encoding to another, and returns the report.
 *
 *     const { bytes: utf8, report } = convert(input, { from: "windows-1252" });
 */
export function convert(input: Bytes, options?: Options): { bytes: NewBytes; report: Report };

/**
 * Detects the encoding of bytes. If `input` is only the beginning, pass at least the first 64 KiB.
 *
 *     detect(bytes, { guess: true }).encoding
 */
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
 * Returns a code chart: the meaning of each of the 256 bytes after the bytes `lead`, which include a shift code if one
 * is needed. A cell is the text of the byte; `{ leads: true }` if more bytes follow; or null.
 */
export function chart(
  label: string,
  lead?: Bytes,
): { codec: string; lead: string; single_byte: boolean; cells: (string | { leads: true } | null)[] };

/**
 * Returns the meaning of bytes in an encoding: a cell `[bytes, text]` for each character. The text is null for
 * malformed bytes and 0 for shift codes. Only in the build `all`.
 */
export function explain(
  label: string,
  input: Bytes,
  isLast?: boolean,
): { codec: string; cells: [number, string | null | 0][] };

/**
 * The options of `charpipe rows` that say where the records of an input are. The names and values are those of the
 * command; in a name, a capital letter stands for a hyphen and the letter. docs/reference/rows.md describes them.
 */
export interface StorageOptions {
  /** Name of the field with the length of each record, which the layout must have: `"LEN"` or `"LEN+4"`. */
  lengthField?: string;
  /** Lengths of the records by the value of a field: `"TYPE:A=120,B=300"`. */
  lengthMap?: string;
  /** Data set of a tape image to read, by its number from 1 or its name. */
  tapeFile?: string | number;
  /** Bytes to skip at the beginning of the input, or records: `32` or `"1r"`. */
  skipHead?: string | number;
  /** Bytes to skip at the end of the input, or records. */
  skipTail?: string | number;
  /** Bytes before the data of each record. */
  recordPrefix?: number;
  /** Bytes after the data of each record. */
  recordSuffix?: number;
}

/** With a layout, its options too: `float`, `from` and so on can decide how long a record is. */
export interface RecordsOptions extends RecordOptions, StorageOptions {
  /** A COBOL copybook or a field list. */
  layout?: string | Bytes;
}

/**
 * Returns the positions of the records: lists of `[offset, length]`. Without `isLast`, or with options, `input` is the
 * whole input. With the layout in the options, the shape may be `layout`: records of its length, without headers. Only
 * in the build `all`.
 *
 *     records("fb:80", bytes, { skipHead: 32, skipTail: "1r" })
 *     records("layout", bytes, { layout: copybook, lengthField: "REC-LEN" })
 */
export function records(
  shape: string,
  input: Bytes,
  isLast?: boolean | RecordsOptions,
): { records: [number, number][][]; read: number; error: Failure | null };

/** Returns the record formats that an input may have, the best first. Only in the build `all`. */
export function sniff(input: Bytes, isLast?: boolean): { shape: string; survives: boolean; why: string[] }[];

/** A field of a record. */
export interface Field {
  /** Its name, after those of its groups, with the numbers of occurrences: `CUSTOMER.PHONE[2]`. */
  name: string;
  /** Its offset in the record, in bytes from 0, and its length in bytes. */
  offset: number;
  length: number;
  kind: string;
  /** The picture and the usage of a copybook. */
  picture: string;
  /** The value as text, so that numbers are exact; bytes are in hex. Null if there is none. */
  value: string | null;
  /** The error, if the bytes are not a valid value. */
  error: { code: string; message: string } | null;
}

/**
 * The options of `charpipe rows` that have a meaning for one record. The names and values are those of the command;
 * in a name, a capital letter stands for a hyphen and the letter. docs/reference/rows.md describes them.
 */
export interface RecordOptions {
  layoutFormat?: "auto" | "copybook" | "copybook-fixed" | "copybook-free" | "fields" | "json";
  /** Words of a copybook to replace: `"==:TAG:== BY ==CUST=="`. */
  replacing?: string | string[];
  /** Read the comma as decimal point in the pictures of a copybook: `DECIMAL-POINT IS COMMA`. */
  decimalComma?: boolean;
  /** Record to use from a copybook or a program, by the name of its level 01. */
  recordName?: string;
  /** Number of elements of a table for each value of the field that it depends on: `"SIZE:A=1,B=2"`. */
  countMap?: string | string[];
  /** Format of COMP-1 and COMP-2 in a copybook. */
  float?: "ibm" | "ieee";
  /** Byte order of COMP-5 and other native binary numbers in a copybook. */
  byteOrder?: "big" | "little";
  /** How zoned numbers in a copybook are stored. */
  zonedSigns?: "auto" | "ebcdic" | "ascii" | "ascii-p";
  /** Rule that assigns a type to a record: `"TYPE=C: CLIENT"`. */
  when?: string | string[];
  /** Read a length and a text at level 49 as one text field of that length, as Db2 declares a VARCHAR. */
  varchar?: boolean;
  /** Field that shows whether another field is null: `"NAME=NAME-NULL"`. */
  nullIndicator?: string | string[];
  /** Whether a group of characters is also one field, `_text`. The default is `fields`. */
  groups?: "fields" | "text";
  /** Code page of the record. The default is IBM037. */
  from?: string;
  /** Fields to read, by name or path. */
  select?: string | string[];
  /** What to remove from the end of text. The default is `blanks` (spaces). */
  trim?: "blanks" | "nuls" | "blanks,nuls" | "none";
  /** With `null`, a field that cannot be read does not make the result an error. */
  onBad?: "error" | "null";
  /** Leave fields empty if they consist of spaces or low-values. */
  emptyIsNull?: boolean;
  /** Read zoned numbers with spaces or low-values after their digits. */
  looseNumbers?: boolean;
  /** What to do with bytes in text that are not valid in its code page; a label reads them as bytes of that charset. */
  malformed?: "fail" | "replace" | "drop" | "escape" | (string & {});
  /** What to do with a record that ends before the layout does. The default is `error`. */
  shortRecords?: "error" | "null";
  /** What to do with a record that is longer than the layout. The default is `fail`. */
  overlong?: "fail" | "cut";
  /** Read FILLER too, which is left out by default. */
  filler?: boolean;
  /** Refuse fields that would be written back as different bytes. */
  exact?: boolean;
  /** What to do with control characters in text. The default is `keep`. */
  controls?: "keep" | "space" | "drop" | "error" | "xml";
  /** What to do with newlines in text. The default is `keep`. */
  recordNewlines?: "keep" | "space" | "error";
  /** Field with dates: `"BORN=YYYYMMDD"`. Values have the form `2024-02-29`, or `2024-02-29 12:30:00.000000`. */
  dates?: string | string[];
  /** Write underscores for the hyphens in names. */
  underscores?: boolean;
}

/**
 * Returns the fields of a record. `layout` is a COBOL copybook or a field list.
 *
 * An error in the layout is thrown, with `line` and `column`. A field that cannot be read has an `error`, and the first
 * of these is also the `error` of the result, unless `onBad` is `null`. If the record cannot be read to its end
 * (because a count in it is invalid, for example), the result has the `error` and the fields before it. The same is
 * true if the record is longer than the layout, unless `overlong` is `cut`. `cut` is true if there are more than 10,000
 * fields, or more than 16 MiB of values. Only in the build `all`, which does not read layouts in JSON.
 *
 *     fields("NAME 1 4 text\nSUM 5 3 packed.2", record, { from: "IBM1047" }).fields[1].value
 */
export function fields(
  layout: string | Bytes,
  record: Bytes,
  options?: RecordOptions,
): {
  codec: string;
  /** The name of the record in the layout. */
  record: string | null;
  /** The lengths of the shortest and the longest record. */
  lengths: [number, number];
  /** The length that the layout gives this record. */
  length: number | null;
  /** The type of the record, if a rule applies. */
  type: string | null;
  fields: Field[];
  cut: boolean;
  error: (Failure & { bytes: string; field: string | null }) | null;
};

/** The options of `charpipe rows` that have a meaning without files. docs/reference/rows.md describes them. */
export interface RowsOptions extends RecordOptions, StorageOptions {
  /** Shape of the records: `fb:80`, `rdw`, `vb`, `auto` … The default is `layout`: records of its length. */
  records?: string;
  /** The default is `csv`. `jsonl` is a JSON object in each line; for `arrow` see `ArrowOptions`. */
  format?: "csv" | "jsonl";
  /** With `quote`, text that a spreadsheet would run as a formula has an apostrophe before it in CSV. */
  formulas?: "keep" | "quote";
  /** Empty text in CSV is `""`, so that it differs from a missing value. */
  quoteEmpty?: boolean;
  /** Columns that are not fields: `number`, `offset`, `type`, `parent`, `record`, `errors`. */
  addColumns?: string | string[];
  /** Record type and its parent type: `"ACCOUNT < CUSTOMER: ID"`, which also adds a column with the parent's `ID`. */
  parent?: string | string[];
}

/** The options for rows of Arrow: an IPC stream, which is not text but bytes. */
export type ArrowOptions = Omit<RowsOptions, "format" | "formulas" | "quoteEmpty"> & {
  format: "arrow";
  /** Numbers of up to 18 digits without decimal places are integers. */
  integers?: boolean;
};

/** What was done: the keys of `charpipe rows --report`. */
export interface RowsReport {
  from: string;
  shape: string | null;
  bytes_in: number;
  bytes_out: number;
  records: number;
  rows: number;
  nulls: number;
  loose_numbers: number;
  malformed: number;
  controls: number;
  record_newlines: number;
  records_cut: number;
  error: Failure | null;
}

/**
 * Converts the records of an input to rows, as `charpipe rows` does: CSV with a header, JSON lines, or an Arrow IPC
 * stream. `layout` is a COBOL copybook or a field list. An error has the rows before it as its `text`, or those of Arrow
 * as its `output`. Only in the build `all`.
 *
 *     rows(copybook, bytes, { from: "IBM1047", records: "rdw", format: "jsonl" }).text
 *     tableFromIPC(rows(copybook, bytes, { from: "IBM1047", format: "arrow" }).bytes)
 */
export function rows(layout: string | Bytes, input: Bytes, options: ArrowOptions): { bytes: NewBytes; report: RowsReport };
export function rows(layout: string | Bytes, input: Bytes, options?: RowsOptions): { text: string; report: RowsReport };

/**
 * The options of `charpipe rows` that decide which columns rows have. The names and values are those of the
 * command; in a name, a capital letter stands for a hyphen and the letter. docs/reference/rows.md describes them.
 */
export interface SchemaOptions {
  layoutFormat?: "auto" | "copybook" | "copybook-fixed" | "copybook-free" | "fields" | "json";
  /** Words of a copybook to replace: `"==:TAG:== BY ==CUST=="`. */
  replacing?: string | string[];
  /** Read the comma as decimal point in the pictures of a copybook: `DECIMAL-POINT IS COMMA`. */
  decimalComma?: boolean;
  /** Record to use from a copybook or a program, by the name of its level 01. */
  recordName?: string;
  /** Number of elements of a table for each value of the field that it depends on: `"SIZE:A=1,B=2"`. */
  countMap?: string | string[];
  /** Format of COMP-1 and COMP-2 in a copybook. */
  float?: "ibm" | "ieee";
  /** Byte order of COMP-5 and other native binary numbers in a copybook. */
  byteOrder?: "big" | "little";
  /** How zoned numbers in a copybook are stored. */
  zonedSigns?: "auto" | "ebcdic" | "ascii" | "ascii-p";
  /** Rule that assigns a type to a record: `"TYPE=C: CLIENT"`. */
  when?: string | string[];
  /** Record type and its parent type: `"ACCOUNT < CUSTOMER: ID"`, which also adds a column with the parent's `ID`. */
  parent?: string | string[];
  /** Read a length and a text at level 49 as one text field of that length, as Db2 declares a VARCHAR. */
  varchar?: boolean;
  /** Field that shows whether another field is null: `"NAME=NAME-NULL"`. */
  nullIndicator?: string | string[];
  /** Whether a group of characters is also one field, `_text`. The default is `fields`. */
  groups?: "fields" | "text";
  /** Code page of the records. The default is IBM037. */
  from?: string;
  /** Fields in the rows, by name or path. */
  select?: string | string[];
  /** With `null`, the column `_errors` can describe records that cannot be read. */
  onBad?: "error" | "null";
  /** Include FILLER, which is left out by default. */
  filler?: boolean;
  /** Columns that are not fields: `number`, `offset`, `type`, `parent`, `file`, `record`, `errors`. */
  addColumns?: string | string[];
  /** Field with dates: `"BORN=YYYYMMDD"`. */
  dates?: string | string[];
  /** Numbers of up to 18 digits without decimal places are integers. */
  integers?: boolean;
  /** Write underscores for the hyphens in names. */
  underscores?: boolean;
}

/**
 * Returns the columns that the rows of a layout have, and their types, as text for another program: a `CREATE TABLE`, a
 * JSON Schema, an Avro record schema, or a Spark `StructType` as JSON. `layout` is a COBOL copybook or a field list. An
 * error in the layout is thrown, with `line` and `column`. Only in the build `all`. The schema of Arrow is not text, so
 * only the command and Python can write it.
 *
 *     schema(copybook, "postgresql", { dates: "BORN=YYYYMMDD" })
 */
export function schema(
  layout: string | Bytes,
  format: "duckdb" | "postgresql" | "db2" | "sqlite" | "json-schema" | "avro" | "spark",
  options?: SchemaOptions,
): string;

/**
 * Converts bytes to bytes, piece by piece. An error comes after all output before it. Nothing is converted until the
 * reader asks for it, except for one piece of at most 256 KiB.
 *
 *     response.body.pipeThrough(new ConverterStream({ from: "IBM1047" }))
 */
export class ConverterStream {
  constructor(options?: Options);
  readonly readable: ReadableStream<NewBytes>;
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
  readonly readable: ReadableStream<NewBytes>;
  readonly writable: WritableStream<string>;
  readonly verdict: Verdict | null;
  readonly report: Report | null;
}

/**
 * Converts records to rows, piece by piece: bytes to strings, or to bytes with `format: "arrow"`. Only in the build
 * `all`.
 */
export interface RowsStream<Piece extends string | NewBytes = string> {
  readonly readable: ReadableStream<Piece>;
  readonly writable: WritableStream<Bytes>;
  readonly report: RowsReport | null;
}
export const RowsStream: {
  new (layout: string | Bytes, options: ArrowOptions): RowsStream<NewBytes>;
  new (layout: string | Bytes, options?: RowsOptions): RowsStream<string>;
};
