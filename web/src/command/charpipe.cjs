#!/usr/bin/env node
// The command charpipe: `npx charpipe`. Runs charpipe-command.wasm in WASI.

"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { spawnSync } = require("node:child_process");

/** The status of wrong usage. */
const USAGE = 2;
/** Node 18 has WASI only behind this flag. */
const FLAG = "--experimental-wasi-unstable-preview1";
/** The names of files that are not complete. */
const TEMPORARY = /^\.charpipe-[a-z0-9]{6}$/;
/** Statuses of WASI; and what `path_open` gets for a file that must not exist yet. */
const [SUCCESS, NOT_PERMITTED] = [0, 63];
const CREATE_NEW = 1 | 4;
/** The descriptor of the root directory. */
const ROOT = 3;

function main() {
  if (process.platform === "win32") {
    process.stderr.write("charpipe: on Windows, the npm package has no command; use charpipe.exe\n");
    return USAGE;
  }
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20 && !process.execArgv.includes(FLAG)) {
    const { status, signal } = spawnSync(process.execPath, [FLAG, ...process.argv.slice(1)], { stdio: "inherit" });
    if (signal) process.kill(process.pid, signal);
    return status ?? 1;
  }
  // Node says that WASI is experimental.
  process.removeAllListeners("warning");
  const { WASI } = require("node:wasi");
  const wasi = new WASI({
    version: "preview1",
    args: ["charpipe", ...process.argv.slice(2)],
    env: { ...process.env, PWD: process.cwd() },
    preopens: { "/": "/" },
    returnOnExit: true,
  });
  const module = new WebAssembly.Module(fs.readFileSync(path.join(__dirname, "..", "charpipe-command.wasm")));
  const host = { ...wasi.wasiImport };
  let instance;
  const memory = () => instance.exports.memory.buffer;
  keepPermissions(host, memory);
  tellIdentities(host, memory);
  instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: host });
  return wasi.start(instance);
}

/**
 * WASI has no permissions. So a new file that is not complete is for its owner only. When it takes the place of another
 * file, it gets the owner and the permissions of that file, and otherwise those of any new file.
 */
function keepPermissions(host, memory) {
  const { path_open: open, path_rename: rename } = host;
  const made = new Set();
  const pathAt = (at, len) => `/${Buffer.from(memory(), at, len).toString()}`;
  host.path_open = (fd, follow, at, len, how, ...rest) => {
    const file = pathAt(at, len);
    if (fd !== ROOT || how !== CREATE_NEW || !TEMPORARY.test(path.basename(file))) return open(fd, follow, at, len, how, ...rest);
    const mask = process.umask(0o077);
    try {
      const status = open(fd, follow, at, len, how, ...rest);
      if (status === SUCCESS) made.add(file);
      return status;
    } finally {
      process.umask(mask);
    }
  };
  host.path_rename = (fd, at, len, toFd, toAt, toLen) => {
    const [from, to] = [pathAt(at, len), pathAt(toAt, toLen)];
    try {
      if (fd === ROOT && toFd === ROOT && made.delete(from)) inherit(from, to);
    } catch {
      return NOT_PERMITTED;
    }
    return rename(fd, at, len, toFd, toAt, toLen);
  };
}

/**
 * Rust's library does not tell a program in WASI the device and the number of a file, by which it is the same file under
 * another name. So both are put where the time of its creation is, which this program does not use otherwise.
 */
function tellIdentities(host, memory) {
  const tell = (status, at) => {
    if (status === SUCCESS) {
      const found = new DataView(memory(), at, 64);
      const [device, number] = [found.getBigUint64(0, true), found.getBigUint64(8, true)];
      found.setBigUint64(56, BigInt.asUintN(62, device * 0x9e3779b97f4a7c15n + number), true);
    }
    return status;
  };
  const { fd_filestat_get: ofDescriptor, path_filestat_get: ofPath } = host;
  host.fd_filestat_get = (fd, at) => tell(ofDescriptor(fd, at), at);
  host.path_filestat_get = (fd, flags, path, len, at) => tell(ofPath(fd, flags, path, len, at), at);
}

/** Gives a new file the owner and the permissions of the file that it replaces. */
function inherit(from, to) {
  const [ours, theirs] = [fs.lstatSync(from), fs.lstatSync(to, { throwIfNoEntry: false })];
  if (!theirs) return fs.chmodSync(from, 0o666 & ~process.umask());
  let mode = theirs.mode & 0o777;
  const tryOwner = (user, group) => {
    try {
      fs.lchownSync(from, user, group);
      return true;
    } catch {
      return false;
    }
  };
  const isSame = ours.uid === theirs.uid && ours.gid === theirs.gid;
  if (!isSame && !tryOwner(theirs.uid, theirs.gid) && ours.gid !== theirs.gid && !tryOwner(ours.uid, theirs.gid)) {
    // Permissions that were meant for one group must not go to another. Members of the old group now count as others.
    mode &= 0o700 | ((mode >> 3) & 0o007);
  }
  fs.chmodSync(from, mode);
}

process.exitCode = main();
