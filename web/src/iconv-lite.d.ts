/** Adds charpipe's EBCDIC pages to iconv-lite. */
import type { Table } from "./tables/table.js";

/** Adds single-byte pages: by default all. This needs no WebAssembly. */
export function register(iconv: object, tables?: Table[]): void;

/**
 * Adds the other EBCDIC encodings, above all those with double bytes (IBM930, IBM939, IBM1388 …). `await load()`
 * first.
 */
export function registerMixed(iconv: object, names?: Record<string, string[]>): void;

/** The encodings that `registerMixed` adds, with their other labels. */
export const MIXED: Record<string, string[]>;
