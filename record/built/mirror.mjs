#!/usr/bin/env node

// programs/mirror.ts
import { createServer } from "node:http";
import { join as join3 } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

// src/bytes.ts
var HASH_BYTES = 32;
var encoder = new TextEncoder();
var decoder = new TextDecoder("utf-8", { fatal: true });
var utf8 = (text) => encoder.encode(text);
function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
function sameBytes(a, b) {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
function toBase64(bytes) {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
function fromBase64(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return toBase64(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
var HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
function toHex(bytes) {
  return Array.from(bytes, (byte) => HEX[byte]).join("");
}
function fromHex(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
function number(value, byteLength) {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** (8 * byteLength))
    throw new RangeError(`${value} does not fit into ${byteLength} bytes`);
  const bytes = new Uint8Array(byteLength);
  let rest = value;
  for (let at = byteLength - 1; at >= 0; at--) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}
function readBytes(bytes) {
  let at = 0;
  const take = (length) => {
    if (at + length > bytes.length) return null;
    at += length;
    return bytes.slice(at - length, at);
  };
  return {
    take,
    number(byteLength) {
      if (at + byteLength > bytes.length) return null;
      let value = 0;
      for (const end = at + byteLength; at < end; at++) value = value * 256 + (bytes[at] ?? 0);
      return Number.isSafeInteger(value) ? value : null;
    },
    isAtEnd: () => at === bytes.length
  };
}

// src/leaf.ts
var LEAF_BYTES = 108;
var RECORD_ID_BYTES = 16;
var LEAF_KINDS = ["opened", "closed", "adjusted", "erased", "key", "marks"];
var LEAF_FLAGS = { override: 1, operator: 2, imported: 4 };
var VERSION = 1;
var MAX_HOLD = 5;
var ALL_FLAGS = 7;
var RESERVED_BYTES = 4;
var isZero = (bytes) => bytes.every((byte) => byte === 0);
var NO_RECORD = new Uint8Array(RECORD_ID_BYTES);
var NO_HASH = new Uint8Array(HASH_BYTES);
function readLeaf(bytes) {
  if (bytes.length !== LEAF_BYTES) return null;
  const reader = readBytes(bytes);
  const version = reader.number(1);
  const kind = LEAF_KINDS[(reader.number(1) ?? 0) - 1];
  const hold = reader.number(1) ?? 0;
  const flags = reader.number(1) ?? 0;
  const record = reader.take(RECORD_ID_BYTES) ?? NO_RECORD;
  const [seq, seqOfOpening, open3] = [reader.number(4) ?? 0, reader.number(4) ?? 0, reader.number(4) ?? 0];
  const at = reader.number(8);
  const previous = reader.take(HASH_BYTES) ?? NO_HASH;
  const commitment = reader.take(HASH_BYTES) ?? NO_HASH;
  const reserved = reader.take(RESERVED_BYTES) ?? NO_HASH;
  if (version !== VERSION || !kind || at === null || flags > ALL_FLAGS || !isZero(reserved)) return null;
  const leaf = { kind, hold, flags, record, seq, seqOfOpening, open: open3, at, previous, commitment };
  return agrees(leaf) ? leaf : null;
}
function agrees({ kind, hold, record, seq, seqOfOpening, open: open3, previous }) {
  if (kind === "opened" ? hold < 1 || hold > MAX_HOLD : hold !== 0) return false;
  if (kind === "key" || kind === "marks")
    return isZero(record) && seq === 0 && seqOfOpening === 0 && open3 === 0 && isZero(previous);
  const isOfPosition = kind === "closed" || kind === "adjusted";
  if (isOfPosition ? seqOfOpening < 1 || seqOfOpening >= seq : seqOfOpening !== 0) return false;
  return !isZero(record) && seq >= 1 && seq === 1 === isZero(previous);
}
var COMMITMENT_LABEL = "tradepost/1\n";
function commitTo(sha2562, salt, text) {
  return sha2562(concat(utf8(COMMITMENT_LABEL), salt, utf8(text)));
}

// src/checkpoint.ts
function readCheckpoint(text) {
  const [, origin = "", digits = "", encoded = ""] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/=]+)\n(?:[^\n]+\n)*$/.exec(text) ?? [];
  const root = fromBase64(encoded);
  const size = Number(digits);
  return root?.length === HASH_BYTES && Number.isSafeInteger(size) ? { origin, size, root } : null;
}

// src/findings.ts
var CHECKS = {
  A1: "the log did not sign this",
  A2: "witnesses refuse",
  A3: "shorter than before",
  A4: "two roots of one size",
  A5: "does not go on what was signed before",
  A6: "the leaves are not those of the root",
  A7: "a number of a record is missing or out of order",
  A8: "the chain of a record is broken",
  A9: "ends or changes a position that was not open",
  A10: "the count of open positions is wrong",
  A11: "back-dated",
  A12: "post-dated",
  A13: "the shown text is not what was committed to",
  A14: "a text that has to be public is not shown",
  A15: "open positions are hidden or invented",
  A16: "closed positions are hidden or invented",
  A17: "the receipt is false",
  A18: "the leaf of the receipt is not at its place",
  A19: "the site shows another text than the mail",
  A20: "a record of a mail has vanished",
  A21: "a position of a mail is not shown",
  A22: "the price of a mail is shown otherwise",
  A23: "the instant of a mail is shown otherwise",
  A24: "a key counts that no entry announced"
};
function finding(check, words, { index, record } = {}) {
  return {
    check,
    words: `${words}: ${CHECKS[check]}.`,
    ...index === void 0 ? {} : { index },
    ...record === void 0 ? {} : { record: typeof record === "string" ? record : toHex(record) }
  };
}

// src/note.ts
var PLAIN = 1;
var TIMED = 4;
var KEY_BYTES = 32;
var KEY_ID_BYTES = 4;
var TIME_BYTES = 8;
var SIGNATURE_BYTES = 64;
var MAX_SIGNATURES = 64;
var NAME = /^[^\s+]+$/u;
function verifierKey(sha2562, { name, type, publicKey }) {
  if (!NAME.test(name) || publicKey.length !== KEY_BYTES) throw new RangeError("No note can carry this key");
  const digest = sha2562(concat(utf8(`${name}
`), new Uint8Array([type]), publicKey));
  return { name, type, publicKey, keyId: readBytes(digest).number(KEY_ID_BYTES) ?? 0 };
}
function readVerifierKey(sha2562, text) {
  const [, name = "", id = "", encoded = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/u.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  const type = bytes?.[0];
  if (!bytes || bytes.length !== 1 + KEY_BYTES || type !== PLAIN && type !== TIMED) return null;
  const key = verifierKey(sha2562, { name, type, publicKey: bytes.slice(1) });
  return key.keyId === Number.parseInt(id, 16) ? key : null;
}
function writeNote({ text, signatures }) {
  return `${text}
${signatures.map(writeSignatureLine).join("")}`;
}
function writeSignatureLine({ name, keyId, signature }) {
  return `— ${name} ${toBase64(concat(number(keyId, KEY_ID_BYTES), signature))}
`;
}
function readNote(note) {
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note) || !note.isWellFormed()) return null;
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) return null;
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return null;
  const signatures = lines.map(readSignatureLine);
  return signatures.every((line) => line !== null) ? { text: note.slice(0, end + 1), signatures } : null;
}
function readSignatureLine(line) {
  const [, name = "", encoded = ""] = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/u.exec(line) ?? [];
  const reader = readBytes(fromBase64(encoded) ?? new Uint8Array());
  const keyId = reader.number(KEY_ID_BYTES);
  const length = fromBase64(encoded)?.length ?? 0;
  const signature = reader.take(length - KEY_ID_BYTES);
  return keyId === null || !signature || signature.length === 0 ? null : { name, keyId, signature };
}
function signedBytes(type, text, at) {
  return utf8(type === PLAIN ? text : `cosignature/v1
time ${at}
${text}`);
}
function writeSignature(type, signature, at) {
  return type === PLAIN ? signature : concat(number(at, TIME_BYTES), signature);
}
async function signersOf({ text, signatures }, keys, verify2) {
  const signed = [];
  for (const line of signatures) {
    const key = keys.find(({ name, keyId }) => name === line.name && keyId === line.keyId);
    if (!key) continue;
    const parts = readSignature(key.type, line.signature);
    if (!parts || !await verify2(key.publicKey, signedBytes(key.type, text, parts.at), parts.signature))
      return null;
    signed.push({ key, at: key.type === TIMED ? parts.at : null });
  }
  return signed.length > 0 ? signed : null;
}
function readSignature(type, bytes) {
  const reader = readBytes(bytes);
  const at = type === TIMED ? reader.number(TIME_BYTES) : 0;
  const signature = reader.take(SIGNATURE_BYTES);
  return at === null || !signature || !reader.isAtEnd() ? null : { at, signature };
}

// src/signed-head.ts
async function readSignedHead(signed, { origin, logKeys, witnesses, quorum }, { verify: verify2 }) {
  const note = readNote(signed);
  const checkpoint = note && readCheckpoint(note.text);
  if (!note || checkpoint?.origin !== origin)
    return { head: null, findings: [finding("A1", `This is no checkpoint of ${origin}`)] };
  const { size, root } = checkpoint;
  const signers = await signersOf(note, [...logKeys, ...witnesses], verify2);
  const ofLog = signers?.find(({ key, at }) => logKeys.includes(key) && at !== null);
  if (!signers || !ofLog || ofLog.at === null)
    return { head: null, findings: [finding("A1", `The checkpoint of ${size} leaves`)] };
  const names = [...new Set(signers.flatMap(({ key }) => witnesses.includes(key) ? [key.name] : []))];
  const findings = names.length < quorum ? [finding("A2", `${names.length} of ${quorum} signed the checkpoint of ${size} leaves`)] : [];
  return { head: { size, root, signedAt: ofLog.at * 1e3, witnesses: names }, findings };
}

// src/tiles.ts
var TILE_WIDTH = 256;
var ENTRY_LENGTH_BYTES = 2;
var MAX_LEVEL = 63;
var MAX_INDEX = 2 ** 48;
function tilePath({ level, index, width }) {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, "0");
  const steps = (padded.match(/\d{3}/g) ?? []).map(
    (step, at, all) => at < all.length - 1 ? `x${step}` : step
  );
  return `tile/${level}/${steps.join("/")}${width === TILE_WIDTH ? "" : `.p/${width}`}`;
}
function readTilePath(path) {
  const [, level = "", steps = "", , width] = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  const tile = {
    level: level === "entries" ? level : Number(level),
    index: Number(steps.replaceAll(/[x/]/g, "")),
    width: width === void 0 ? TILE_WIDTH : Number(width)
  };
  const exists = (tile.level === "entries" || tile.level <= MAX_LEVEL) && tile.index < MAX_INDEX && tile.width > 0;
  return steps !== "" && exists && tilePath(tile) === path ? tile : null;
}
function widthAt({ level, index }, size) {
  const ofLevel = Math.floor(size / TILE_WIDTH ** (level === "entries" ? 0 : level));
  return Math.max(0, Math.min(TILE_WIDTH, ofLevel - index * TILE_WIDTH));
}
function writeBundle(entries) {
  return concat(...entries.flatMap((entry) => [number(entry.length, ENTRY_LENGTH_BYTES), entry]));
}
function readBundle(bytes, width) {
  const reader = readBytes(bytes);
  const entries = [];
  while (entries.length < width) {
    const entry = reader.take(reader.number(ENTRY_LENGTH_BYTES) ?? Number.POSITIVE_INFINITY);
    if (!entry) return null;
    entries.push(entry);
  }
  return reader.isAtEnd() ? entries : null;
}

// src/tree.ts
var LEAF = new Uint8Array([0]);
var NODE = new Uint8Array([1]);
function leafHash(sha2562, entry) {
  return sha2562(concat(LEAF, entry));
}
function nodeHash(sha2562, left, right) {
  return sha2562(concat(NODE, left, right));
}
var emptyRoot = (sha2562) => sha2562(new Uint8Array());
function joinSubtrees(sha2562, hashes) {
  if (hashes.length === 0) throw new RangeError("There is nothing to join");
  return hashes.reduceRight((right, left) => nodeHash(sha2562, left, right));
}
function rootOfInclusion(sha2562, { leaf, index, size, path }) {
  if (!isPlace(index, size) || index >= size || !path.every(isHash)) return null;
  let place = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0) return null;
    if (isOdd(place) || place === last) {
      hash = nodeHash(sha2562, sibling, hash);
      while (!isOdd(place) && place !== 0) {
        place = half(place);
        last = half(last);
      }
    } else hash = nodeHash(sha2562, hash, sibling);
    place = half(place);
    last = half(last);
  }
  return last === 0 ? hash : null;
}
function isContinuation(sha2562, first, second, proof) {
  if (!isPlace(first.size, second.size) || !proof.every(isHash)) return false;
  if (first.size === 0) return proof.length === 0 && sameBytes(first.root, emptyRoot(sha2562));
  if (first.size === second.size) return proof.length === 0 && sameBytes(first.root, second.root);
  let place = first.size - 1;
  let last = second.size - 1;
  while (isOdd(place)) {
    place = half(place);
    last = half(last);
  }
  const [start, ...rest] = place === 0 ? [first.root, ...proof] : proof;
  if (!start) return false;
  let ofFirst = start;
  let ofSecond = start;
  for (const hash of rest) {
    if (last === 0) return false;
    if (isOdd(place) || place === last) {
      ofFirst = nodeHash(sha2562, hash, ofFirst);
      ofSecond = nodeHash(sha2562, hash, ofSecond);
      while (!isOdd(place) && place !== 0) {
        place = half(place);
        last = half(last);
      }
    } else ofSecond = nodeHash(sha2562, ofSecond, hash);
    place = half(place);
    last = half(last);
  }
  return last === 0 && sameBytes(ofFirst, first.root) && sameBytes(ofSecond, second.root);
}
var MAX_SIZE = 2 ** 48;
var isHash = ({ length }) => length === HASH_BYTES;
var isOdd = (value) => value % 2 === 1;
var half = (value) => Math.floor(value / 2);
function isPlace(index, size) {
  return Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index <= size && size < MAX_SIZE;
}

// src/find-erased.ts
async function findErased(source, { size, root }, record, sha2562) {
  for (let tile = Math.ceil(size / TILE_WIDTH) - 1; tile >= 0; tile--) {
    const width = widthAt({ level: "entries", index: tile }, size);
    const entries = readBundle(await source.bundle(tile, width), width) ?? [];
    const nth = entries.findIndex((entry2) => {
      const leaf = readLeaf(entry2);
      return leaf?.kind === "erased" && sameBytes(leaf.record, record);
    });
    const entry = entries[nth];
    if (!entry) continue;
    const index = tile * TILE_WIDTH + nth;
    const path = await source.inclusion(index, size) ?? [];
    const led = rootOfInclusion(sha2562, { leaf: leafHash(sha2562, entry), index, size, path });
    return led !== null && sameBytes(led, root) ? readLeaf(entry)?.at ?? null : null;
  }
  return null;
}
async function findErasure(source, head, record, policy, crypto2) {
  const { head: newest } = await readSignedHead(await source.checkpoint(), policy, crypto2);
  if (!newest || newest.size < head.size) return null;
  const proof = newest.size === head.size ? [] : await source.consistency(head.size, newest.size) ?? [];
  if (!isContinuation(crypto2.sha256, head, newest, proof)) return null;
  return findErased(source, newest, record, crypto2.sha256);
}
var NAME_KEPT_MS = 365 * 864e5;
async function withoutErased(found, erasureOf) {
  const records = new Set(found.flatMap(({ check, record }) => check === "A14" && record ? [record] : []));
  const erased = /* @__PURE__ */ new Set();
  for (const record of records) if (await erasureOf(record) !== null) erased.add(record);
  return found.filter(({ check, record }) => check !== "A14" || !erased.has(record ?? ""));
}

// src/witness.ts
function cosign({ name, keyId, type, sign: sign2 }, text, at) {
  return { name, keyId, signature: writeSignature(type, sign2(signedBytes(type, text, at)), at) };
}

// programs/node-crypto.ts
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign,
  verify
} from "node:crypto";
var sha256 = (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest());
var PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
var PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
var SEED_BYTES = 32;
var TIMED2 = 4;
var verifyEd25519 = (publicKey, message, signature) => {
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: "der", type: "spki" });
  return verify(null, message, key, signature);
};
var crypto = { sha256, verify: verifyEd25519 };
function ed25519Of(seed) {
  const key = createPrivateKey({
    key: Buffer.concat([PRIVATE_PREFIX, seed]),
    format: "der",
    type: "pkcs8"
  });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    publicKey: new Uint8Array(spki.subarray(PUBLIC_PREFIX.length)),
    sign: (message) => new Uint8Array(sign(null, message, key))
  };
}
function readSecretKey(text) {
  const [, name = "", id = "", encoded = ""] = /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)\s*$/.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes?.length !== 1 + SEED_BYTES || bytes[0] !== TIMED2)
    throw new Error("This is no secret key: PRIVATE+KEY+name+id+base64 of type 4");
  const { publicKey, sign: sign2 } = ed25519Of(bytes.slice(1));
  const key = verifierKey(sha256, { name, type: TIMED2, publicKey });
  if (key.keyId !== Number.parseInt(id, 16)) throw new Error("The id of this key is not that of its seed");
  return { ...key, type: TIMED2, sign: sign2 };
}

// programs/http-source.ts
var TIMEOUT_MS = 3e4;
var MAX_ANSWER_BYTES = 64 * 1024 * 1024;
var NoAnswer = class extends Error {
};
async function get(address) {
  let answer;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
    if (answer.status === 404 || answer.status === 410) {
      await answer.body?.cancel();
      return answer.status;
    }
    if (Number(answer.headers.get("content-length") ?? 0) > MAX_ANSWER_BYTES) throw new Error("too long");
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (answer.ok) return bytes;
  } catch (error) {
    const reason = error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : error;
    throw new NoAnswer(`${address} does not answer (${reason}).`);
  }
  throw new NoAnswer(`${address} answered ${answer.status}.`);
}
async function getWhole(address) {
  const answer = await get(address);
  if (typeof answer === "number") throw new NoAnswer(`${address} answered ${answer}.`);
  return answer;
}
async function getJson(address) {
  const answer = await get(address);
  if (typeof answer === "number") return answer;
  try {
    return JSON.parse(Buffer.from(answer).toString("utf8"));
  } catch {
    throw new NoAnswer(`${address} did not answer JSON.`);
  }
}
function httpSource(site) {
  const at = (path) => `${site}/record/${path}`;
  async function proof(path, field) {
    const answer = await getJson(at(path));
    return typeof answer === "number" ? null : hashesOf(answer[field]);
  }
  return {
    hashes: (path) => getWhole(at(path)),
    checkpoint: async () => Buffer.from(await getWhole(at("checkpoint"))).toString("utf8"),
    async bundle(index, width) {
      const part = await get(at(tilePath({ level: "entries", index, width })));
      if (typeof part !== "number") return part;
      const full = await getWhole(at(tilePath({ level: "entries", index, width: TILE_WIDTH })));
      return writeBundle((readBundle(full, TILE_WIDTH) ?? []).slice(0, width));
    },
    inclusion: (index, size) => proof(`proof?index=${index}&size=${size}`, "path"),
    consistency: (from, to) => proof(`consistency?from=${from}&to=${to}`, "proof"),
    async opening(index) {
      const answer = await getJson(at(`openings/${index}`));
      if (typeof answer === "number") return answer === 410 ? "erased" : "sealed";
      const salt = fromBase64(String(answer.salt));
      if (!salt || typeof answer.text !== "string")
        throw new NoAnswer(`Leaf ${index} was answered strangely.`);
      return { salt, text: answer.text };
    },
    async trader(username) {
      const answer = await getJson(at(`traders/${encodeURIComponent(username)}`));
      return typeof answer === "number" ? null : traderOf(answer);
    }
  };
}
function hashesOf(value) {
  if (!Array.isArray(value)) return null;
  const hashes = value.map((text) => fromBase64(String(text)));
  return hashes.every((hash) => hash !== null) ? hashes : null;
}
function traderOf({ record, seq, open: open3, closed, leaves }) {
  return {
    record: String(record),
    seq: Number(seq),
    open: Number(open3),
    closed: Number(closed),
    leaves: Array.isArray(leaves) ? leaves.map(Number) : []
  };
}
function readPolicy(bytes) {
  try {
    const { origin, log, witnesses, quorum } = JSON.parse(Buffer.from(bytes).toString("utf8"));
    const keys = (texts) => texts.map((text) => readVerifierKey(sha256, String(text))).filter((key) => key !== null);
    const logKeys = keys(log).filter(({ name }) => name === origin);
    if (logKeys.length === 0 || !Number.isSafeInteger(quorum) || quorum < 0) throw new Error("no keys");
    return { origin, logKeys, witnesses: keys(witnesses), quorum };
  } catch {
    throw new NoAnswer("These are no keys of a record.");
  }
}

// programs/kept-file.ts
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
function writeKept(path, bytes) {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const fresh = `${path}.new`;
  const file = openSync(fresh, "w", 384);
  const whole = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  for (let at = 0; at < whole.length; ) at += writeSync(file, whole, at);
  fsyncSync(file);
  closeSync(file);
  renameSync(fresh, path);
  syncFolder(folder);
}
function syncFolder(folder) {
  const opened = openSync(folder, "r");
  fsyncSync(opened);
  closeSync(opened);
}
function readKept(path) {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
function readKeptText(path) {
  const bytes = readKept(path);
  return bytes && Buffer.from(bytes).toString("utf8");
}
async function writeDurably(path, bytes) {
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.new`;
  const file = await open(fresh, "w");
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
}

// programs/lock-folder.ts
import { mkdirSync as mkdirSync2, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// programs/run-program.ts
var Usage = class extends Error {
};
function runProgram(usage, run) {
  run(process.argv.slice(2)).then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      if (error instanceof Usage) console.error(`${error.message}

${usage}`);
      else console.error(error instanceof NoAnswer ? error.message : error);
      process.exitCode = 2;
    }
  );
}

// programs/lock-folder.ts
function lockFolder(folder) {
  mkdirSync2(folder, { recursive: true });
  const file = join(folder, "process");
  const other = Number(readKeptText(file) ?? 0);
  if (other > 0 && other !== process.pid && isAlive(other))
    throw new Usage(`Process ${other} uses ${folder}.`);
  rmSync(file, { force: true });
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch {
    throw new Usage(`Another process has just taken ${folder}.`);
  }
  process.once("exit", () => rmSync(file, { force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(0));
}
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

// programs/mirror-copy.ts
import { rm } from "node:fs/promises";
import { join as join2 } from "node:path";

// src/growing-root.ts
function growingRoot(sha2562) {
  const subtrees = [];
  let size = 0;
  return {
    add(leafHash2) {
      let hash = leafHash2;
      for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2))
        hash = nodeHash(sha2562, subtrees.pop() ?? hash, hash);
      subtrees.push(hash);
      size++;
    },
    root: () => size === 0 ? emptyRoot(sha2562) : joinSubtrees(sha2562, subtrees),
    edge: () => [...subtrees],
    size: () => size
  };
}

// src/kept-leaves.ts
var ROW_BYTES = 64;
var ROWS_AT_ONCE = 256;
var AT = { kind: 0, hold: 1, seq: 4, seqOfOpening: 8, closed: 12, struck: 16, at: 24, commitment: 32 };
function keptLeaves() {
  const chunks = [];
  function rowOf(index) {
    const chunk = Math.floor(index / ROWS_AT_ONCE);
    while (chunks.length <= chunk) chunks.push(new ArrayBuffer(ROW_BYTES * ROWS_AT_ONCE));
    return new DataView(chunks[chunk], ROW_BYTES * (index % ROWS_AT_ONCE), ROW_BYTES);
  }
  function get2(index) {
    const row = rowOf(index);
    return {
      index,
      kind: LEAF_KINDS[row.getUint8(AT.kind)] ?? "opened",
      hold: row.getUint8(AT.hold),
      seq: row.getUint32(AT.seq),
      seqOfOpening: row.getUint32(AT.seqOfOpening),
      at: row.getFloat64(AT.at),
      commitment: new Uint8Array(row.buffer, row.byteOffset + AT.commitment, ROW_BYTES - AT.commitment)
    };
  }
  return {
    put(index, leaf) {
      const row = rowOf(index);
      row.setUint8(AT.kind, LEAF_KINDS.indexOf(leaf.kind));
      row.setUint8(AT.hold, leaf.hold);
      row.setUint32(AT.seq, leaf.seq);
      row.setUint32(AT.seqOfOpening, leaf.seqOfOpening);
      row.setFloat64(AT.at, leaf.at);
      new Uint8Array(row.buffer, row.byteOffset + AT.commitment).set(leaf.commitment);
    },
    get: get2,
    position(index) {
      const row = rowOf(index);
      const { seq, at, hold } = get2(index);
      return {
        ...{ index, seq, at, hold },
        get closedSeq() {
          return row.getUint32(AT.closed) || null;
        },
        set closedSeq(by) {
          row.setUint32(AT.closed, by ?? 0);
        },
        get struckSeq() {
          return row.getUint32(AT.struck) || null;
        },
        set struckSeq(by) {
          row.setUint32(AT.struck, by ?? 0);
        }
      };
    }
  };
}

// src/histories.ts
var LAG_MS = 6e4;
var openingOf = ({
  kind,
  seq,
  seqOfOpening
}) => kind === "opened" ? seq : seqOfOpening;
function followHistories() {
  const kept = keptLeaves();
  const records = /* @__PURE__ */ new Map();
  let newest = 0;
  let hasBegun = false;
  function judgeTime(index, leaf) {
    if ((leaf.flags & LEAF_FLAGS.imported) !== 0)
      return hasBegun ? [finding("A11", `Leaf ${index} says that it is from before the log began`, { index })] : [];
    hasBegun = true;
    const lag = newest - leaf.at;
    newest = Math.max(newest, leaf.at);
    return lag > LAG_MS ? [finding("A11", `Leaf ${index} is ${Math.round(lag / 1e3)} s older than one before it`, { index })] : [];
  }
  function add(index, leaf, hash) {
    const found = judgeTime(index, leaf);
    if (leaf.seq === 0) {
      kept.put(index, leaf);
      return found;
    }
    const id = toHex(leaf.record);
    const history = records.get(id) ?? emptyHistory(id);
    records.set(id, history);
    const where = { index, record: id };
    if (history.isErased) found.push(finding("A7", `Leaf ${index} comes after its record was erased`, where));
    const expected = history.leaves.length + 1;
    if (leaf.seq !== expected)
      found.push(finding("A7", `Leaf ${index} has the number ${leaf.seq} in place of ${expected}`, where));
    if (!sameBytes(leaf.previous, history.hash))
      found.push(finding("A8", `Leaf ${index} names another leaf before it`, where));
    kept.put(index, leaf);
    history.leaves.push(index);
    found.push(...judgeEvent(history, index, leaf, position));
    history.hash = hash;
    return found;
  }
  function position(record, seq) {
    const isIt = (index2) => index2 !== void 0 && kept.get(index2).seq === seq && kept.get(index2).kind === "opened";
    const index = isIt(record.leaves[seq - 1]) ? record.leaves[seq - 1] : record.leaves.find(isIt);
    return index === void 0 ? null : kept.position(index);
  }
  return { add, records, leaf: kept.get, position };
}
function emptyHistory(id) {
  return { id, leaves: [], open: 0, hash: NO_HASH, isErased: false };
}
function judgeEvent(history, index, leaf, position) {
  const where = { index, record: history.id };
  const expected = openAfter(history, leaf, position);
  const found = [];
  if (expected === null) found.push(finding("A9", `Leaf ${index} names leaf ${leaf.seqOfOpening}`, where));
  else if (expected !== leaf.open)
    found.push(finding("A10", `Leaf ${index} counts ${leaf.open} open in place of ${expected}`, where));
  history.open = leaf.open;
  return found;
}
function openAfter(history, leaf, positionOf) {
  if (leaf.kind === "opened") return history.open + 1;
  if (leaf.kind === "erased") {
    history.isErased = true;
    return 0;
  }
  const position = positionOf(history, leaf.seqOfOpening);
  if (!position || position.struckSeq !== null) return null;
  const isOpen = position.closedSeq === null;
  if (leaf.kind === "closed") {
    position.closedSeq ??= leaf.seq;
    return isOpen ? history.open - 1 : null;
  }
  if (!isOpen || leaf.open !== history.open - 1) return history.open;
  position.struckSeq = leaf.seq;
  return leaf.open;
}

// programs/side-by-side.ts
async function* sideBySide(items, atOnce, ask) {
  const asked = [];
  for (const item of items) {
    const answer = ask(item);
    answer.catch(() => void 0);
    asked.push({ item, answer });
    const first = asked.length < atOnce ? void 0 : asked.shift();
    if (first) yield { item: first.item, answer: await first.answer };
  }
  for (const { item, answer } of asked) yield { item, answer: await answer };
}

// programs/mirror-copy.ts
var AT_ONCE = 16;
function openCopy(folder) {
  const histories = followHistories();
  const roots = [];
  let followed = 0;
  const fileOf = (tile) => join2(folder, tilePath(tile));
  function readKeptBundle(index) {
    const bytes = readKept(fileOf({ level: "entries", index, width: TILE_WIDTH }));
    const tile = bytes && readKept(fileOf({ level: 0, index, width: TILE_WIDTH }));
    const entries = bytes && readBundle(bytes, TILE_WIDTH);
    if (!entries || !tile) return null;
    const hashes = entries.map((entry) => leafHash(sha256, entry));
    return sameBytes(concat(...hashes), tile) ? { entries, hashes, found: [] } : null;
  }
  async function takeBundle(source, index, width) {
    const kept = width === TILE_WIDTH ? readKeptBundle(index) : null;
    if (kept) return kept;
    const bytes = await source.bundle(index, width);
    const entries = readBundle(bytes, width);
    if (!entries) return null;
    const hashes = entries.map((entry) => leafHash(sha256, entry));
    await keep({ level: "entries", index, width }, bytes);
    return { entries, hashes, found: await takeTile(source, { level: 0, index, width }, hashes) };
  }
  async function take(source, head, before) {
    const first = roots.length;
    const tiles = Array.from({ length: Math.ceil(head.size / TILE_WIDTH) - first }, (_, nth) => first + nth);
    const found = [];
    let edge = [];
    const widthOf = (index) => widthAt({ level: "entries", index }, head.size);
    const ask = (index) => takeBundle(source, index, widthOf(index));
    for await (const { item: index, answer } of sideBySide(tiles, AT_ONCE, ask)) {
      const start = index * TILE_WIDTH;
      if (!answer) return [finding("A6", `The entries from ${start} cannot be read`)];
      if (before && !goesOn(roots, start, answer.hashes, before))
        return [finding("A5", `The copy of ${head.size} leaves`)];
      for (const [at, entry] of answer.entries.entries())
        if (start + at >= followed)
          found.push(...follow(histories, start + at, entry, answer.hashes[at] ?? entry));
      followed = start + answer.entries.length;
      found.push(...answer.found);
      const tree = treeOf(answer.hashes);
      const isFull = answer.entries.length === TILE_WIDTH;
      if (isFull) roots.push(tree.root());
      edge = isFull ? [] : tree.edge();
    }
    if (sameBytes(rootOf(roots, edge), head.root)) return [...found, ...await takeUpperTiles(source, first)];
    for (const index of tiles.filter((tile) => (tile + 1) * TILE_WIDTH > (before?.size ?? 0)))
      for (const level of ["entries", 0])
        await rm(fileOf({ level, index, width: widthOf(index) }), { force: true });
    return [finding("A6", `The copy of ${head.size} leaves`)];
  }
  async function keep(tile, bytes) {
    await writeDurably(fileOf(tile), bytes);
    if (tile.width === TILE_WIDTH) await rm(`${fileOf(tile)}.p`, { recursive: true, force: true });
  }
  async function takeTile(source, tile, hashes) {
    const bytes = concat(...hashes);
    await keep(tile, bytes);
    const path = tilePath(tile);
    return sameBytes(await source.hashes(path), bytes) ? [] : [finding("A6", `The tile ${path}`)];
  }
  async function takeUpperTiles(source, first) {
    const found = [];
    let from = first;
    let below = roots;
    for (let level = 1; below.length > 0 && from < below.length; level++) {
      const above = [];
      for (let start = 0; start < below.length; start += TILE_WIDTH) {
        const hashes = below.slice(start, start + TILE_WIDTH);
        if (start + TILE_WIDTH > from) {
          const tile = { level, index: start / TILE_WIDTH, width: hashes.length };
          found.push(...await takeTile(source, tile, hashes));
        }
        if (hashes.length === TILE_WIDTH) above.push(treeOf(hashes).root());
      }
      from = Math.floor(from / TILE_WIDTH);
      below = above;
    }
    return found;
  }
  return { take, histories };
}
function treeOf(hashes) {
  const tree = growingRoot(sha256);
  for (const hash of hashes) tree.add(hash);
  return tree;
}
function rootOf(roots, edge) {
  const upper = treeOf(roots);
  const subtrees = [...upper.edge(), ...edge];
  return subtrees.length === 0 ? upper.root() : joinSubtrees(sha256, subtrees);
}
function goesOn(roots, start, hashes, before) {
  const inTile = before.size - start;
  if (inTile <= 0 || inTile > hashes.length) return true;
  return sameBytes(rootOf(roots, treeOf(hashes.slice(0, inTile)).edge()), before.root);
}
function follow(histories, index, entry, hash) {
  const leaf = readLeaf(entry);
  return leaf ? histories.add(index, leaf, hash) : [finding("A7", `Entry ${index} is no leaf of the record`, { index })];
}

// programs/mirror-texts.ts
import { createReadStream, mkdirSync as mkdirSync3 } from "node:fs";
import { appendFile, open as open2, rename as rename2 } from "node:fs/promises";
import { dirname as dirname2 } from "node:path";
import { createInterface } from "node:readline";

// src/entry-text.ts
var CURRENCY = "USD";
function writeEntryText(entry) {
  return JSON.stringify(partsOf(entry));
}
function partsOf(entry) {
  switch (entry.kind) {
    case "opened":
      return ["opened", entry.symbol, entry.price, CURRENCY, entry.quotedAt, entry.hold, entry.notesHash];
    case "closed":
      return ["closed", entry.symbol, entry.price, CURRENCY, entry.quotedAt, "", entry.notesHash];
    case "split":
      return ["adjusted", entry.symbol, "split", `${entry.newShares}:${entry.oldShares}`, entry.day];
    case "settled":
      return ["adjusted", entry.symbol, "settled", entry.price, CURRENCY, entry.quotedAt];
    case "corrected":
      return ["adjusted", entry.symbol, "price", entry.end, entry.price, entry.reasonHash];
    case "struck":
      return ["adjusted", entry.symbol, "struck", entry.reasonHash];
    case "renamed":
      return ["adjusted", entry.symbol, "renamed", entry.symbolAfter, entry.day];
    case "erased":
      return ["erased"];
    case "key":
      return ["key", entry.verifierKey, entry.day];
    case "marks":
      return ["marks", entry.day, entry.fileHash];
  }
}
function readEntryText(text) {
  const parts = readParts(text);
  const entry = parts && entryOf(parts);
  return entry && writeEntryText(entry) === text ? entry : null;
}
function readParts(text) {
  try {
    const parts = JSON.parse(text);
    return Array.isArray(parts) && parts.every((part) => typeof part === "string") ? parts : null;
  } catch {
    return null;
  }
}
function entryOf([kind, ...parts]) {
  const [first = "", second = "", third = "", fourth = "", fifth = "", sixth = ""] = parts;
  if (kind === "opened")
    return { kind, symbol: first, price: second, quotedAt: fourth, hold: fifth, notesHash: sixth };
  if (kind === "closed") return { kind, symbol: first, price: second, quotedAt: fourth, notesHash: sixth };
  if (kind === "erased") return { kind };
  if (kind === "key") return { kind, verifierKey: first, day: second };
  if (kind === "marks") return { kind, day: first, fileHash: second };
  return kind === "adjusted" ? changeOf(first, second, [third, fourth, fifth]) : null;
}
function changeOf(symbol, change, [first, second, third]) {
  if (change === "settled") return { kind: "settled", symbol, price: first, quotedAt: third };
  if (change === "struck") return { kind: "struck", symbol, reasonHash: first };
  if (change === "renamed") return { kind: "renamed", symbol, symbolAfter: first, day: second };
  if (change === "price" && (first === "open" || first === "close"))
    return { kind: "corrected", symbol, end: first, price: second, reasonHash: third };
  const [, newShares = "", oldShares = ""] = /^([1-9]\d*):([1-9]\d*)$/.exec(first) ?? [];
  if (change !== "split" || newShares === "") return null;
  return { kind: "split", symbol, newShares: Number(newShares), oldShares: Number(oldShares), day: second };
}

// src/hold-days.ts
var DAY_MS = 864e5;
var PUBLIC_AFTER_DAYS = [8, 22, 93, 185, 366];
function publicFrom({ at, hold }) {
  return at + (PUBLIC_AFTER_DAYS[hold - 1] ?? Number.POSITIVE_INFINITY) * DAY_MS;
}

// src/judge-texts.ts
function* revealedOf(histories, record, now) {
  if (record.isErased) return;
  for (const index of record.leaves) {
    const leaf = histories.leaf(index);
    const position = histories.position(record, openingOf(leaf));
    if (!position) continue;
    const isDue = position.closedSeq !== null || publicFrom(position) <= now;
    if (isDue || position.struckSeq !== null) yield { leaf, record, position, isDue };
  }
}
function judgeText(sha2562, { leaf, record, position, isDue }, shown) {
  const { index } = leaf;
  const where = { index, ...record ? { record: record.id } : {} };
  const found = [];
  if (shown === "sealed" || shown === "erased") {
    if (isDue) found.push(finding("A14", `Leaf ${index} (${leaf.kind}) is answered as ${shown}`, where));
    return found;
  }
  const entry = readEntryText(shown.text);
  if (!sameBytes(commitTo(sha2562, shown.salt, shown.text), leaf.commitment))
    found.push(finding("A13", `Leaf ${index} does not hold ${shown.text}`, where));
  else if (!entry || kindOf(entry) !== leaf.kind)
    found.push(finding("A13", `Leaf ${index} (${leaf.kind}) holds ${shown.text}`, where));
  else if (position && leaf.kind === "adjusted") found.push(...judgeStrike(leaf, entry, position, where));
  return found;
}
function kindOf({ kind }) {
  switch (kind) {
    case "split":
    case "settled":
    case "corrected":
    case "struck":
    case "renamed":
      return "adjusted";
    default:
      return kind;
  }
}
function judgeStrike({ index, seq }, entry, position, where) {
  const isCounted = position.struckSeq === seq;
  if (entry.kind !== "struck")
    return isCounted ? [finding("A10", `Leaf ${index} (${entry.kind}) leaves one position fewer open`, where)] : [];
  if (isCounted) return [];
  if (position.closedSeq === null || position.closedSeq > seq)
    return [finding("A10", `Leaf ${index} strikes an open position, which still counts`, where)];
  if (position.struckSeq !== null)
    return [finding("A9", `Leaf ${index} strikes a position that was struck before`, where)];
  position.struckSeq = seq;
  return [];
}

// programs/mirror-texts.ts
var AT_ONCE2 = 16;
var LINES_AT_ONCE = 256;
async function openTexts(file) {
  mkdirSync3(dirname2(file), { recursive: true });
  const held = /* @__PURE__ */ new Set();
  for await (const line of linesOf(file)) {
    const index = indexOf(line);
    if (index !== null) held.add(index);
  }
  async function take(source, histories, now) {
    const all = [...histories.records.values()];
    await drop(all.filter(({ isErased }) => isErased));
    const found = [];
    let lines = [];
    const ask = ({ leaf }) => source.opening(leaf.index);
    for await (const { item, answer } of sideBySide(missing(histories, now), AT_ONCE2, ask)) {
      const judged = judgeText(sha256, item, answer);
      found.push(...judged);
      if (judged.length > 0 || typeof answer !== "object") continue;
      held.add(item.leaf.index);
      const { salt, text } = answer;
      lines.push(`${JSON.stringify({ index: item.leaf.index, salt: toBase64(salt), text })}
`);
      if (lines.length < LINES_AT_ONCE) continue;
      await appendFile(file, lines.join(""));
      lines = [];
    }
    await appendFile(file, lines.join(""));
    return found;
  }
  function* missing(histories, now) {
    for (const record of histories.records.values())
      for (const revealed of revealedOf(histories, record, now))
        if (!held.has(revealed.leaf.index)) yield revealed;
  }
  async function drop(records) {
    const dropped = new Set(records.flatMap(({ leaves }) => leaves.filter((index) => held.has(index))));
    if (dropped.size === 0) return;
    const fresh = await open2(`${file}.new`, "w");
    for await (const line of linesOf(file)) {
      const index = indexOf(line);
      if (index !== null && !dropped.has(index)) await fresh.write(`${line}
`);
    }
    await fresh.sync();
    await fresh.close();
    await rename2(`${file}.new`, file);
    for (const index of dropped) held.delete(index);
  }
  return { take, size: () => held.size };
}
async function* linesOf(file) {
  if (readKept(file) === null) return;
  yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}
function indexOf(line) {
  try {
    return Number(JSON.parse(line).index);
  } catch {
    return null;
  }
}

// programs/words-of-call.ts
function readCall(args, known) {
  const call = { options: /* @__PURE__ */ new Map(), flags: /* @__PURE__ */ new Set(), words: [] };
  const rest = [...args];
  for (let word = rest.shift(); word !== void 0; word = rest.shift()) {
    const name = word.startsWith("--") ? word.slice(2) : null;
    if (name === null) call.words.push(word);
    else if (known.flags?.includes(name)) call.flags.add(name);
    else if (known.options.includes(name)) {
      const value = rest.shift();
      if (value === void 0) throw new Usage(`--${name} needs a value.`);
      call.options.set(name, value);
    } else throw new Usage(`--${name} is not known.`);
  }
  return call;
}
function needed({ options }, name) {
  const value = options.get(name);
  if (value === void 0) throw new Usage(`--${name} is missing.`);
  return value;
}

// programs/mirror.ts
var USAGE = `A mirror of a public record: whole copies of its entries, tiles and revealed texts, held against the signed checkpoint.

  node mirror.mjs --from https://HOST --data FOLDER [--once] [--every 60] [--keys FILE] [--key FILE] [--port 8081] [--host 127.0.0.1]

  --once     ends after one copy: with 1 where the record is at fault, with 2 where it does not answer
  --every    seconds between two copies
  --keys     the record's keys, as HOST/record/keys shows them; the first copy keeps those of HOST without it
  --key      a secret key (node witness.mjs new-key NAME FILE) that signs what the mirror holds; not that of a witness
  --port     serves the copy: GET /HASH/checkpoint, /HASH/tile/..., with the SHA-256 of the origin in hexadecimal

FOLDER/texts.ndjson has the texts; those of a person whose record is erased are dropped.`;
async function main(args) {
  const call = readCall(args, {
    options: ["from", "data", "every", "keys", "key", "port", "host"],
    flags: ["once"]
  });
  const site = needed(call, "from").replace(/\/+$/, "");
  const folder = needed(call, "data");
  lockFolder(folder);
  const keyFile = call.options.get("key");
  const key = keyFile === void 0 ? null : readSecretKey(readKeptText(keyFile) ?? "");
  const policy = await policyOf(site, folder, call);
  const mirror = { site, folder, policy, key, copy: openCopy(folder) };
  const port = call.options.get("port");
  if (port !== void 0) await serve(mirror, Number(port), call.options.get("host") ?? "127.0.0.1");
  if (call.flags.has("once")) return await copyOnce(mirror) ? 0 : 1;
  for (; ; ) {
    try {
      await copyOnce(mirror);
    } catch (error) {
      console.error(error instanceof NoAnswer ? error.message : error);
    }
    await wait(1e3 * Number(call.options.get("every") ?? 60));
  }
}
async function policyOf(site, folder, call) {
  const file = call.options.get("keys") ?? join3(folder, "keys.json");
  const kept = readKept(file);
  if (kept) return readPolicy(kept);
  const bytes = await getWhole(`${site}/record/keys`);
  const policy = readPolicy(bytes);
  writeKept(file, bytes);
  return policy;
}
async function copyOnce(mirror) {
  const began = Date.now();
  const { copy, folder, policy, site } = mirror;
  const source = httpSource(site);
  const signed = await source.checkpoint();
  const { head, findings } = await readSignedHead(signed, policy, crypto);
  if (!head) return report(findings);
  const kept = readKeptText(join3(folder, "checkpoint"));
  const before = kept === null ? null : (await readSignedHead(kept, { ...policy, quorum: 0 }, crypto)).head;
  const found = [...findings, ...judgeHeads(before, head)];
  try {
    if (found.every(({ check }) => check === "A2")) found.push(...await copy.take(source, head, before));
  } catch (error) {
    mirror.copy = openCopy(folder);
    throw error;
  }
  if (found.some(({ check }) => check !== "A2")) {
    mirror.copy = openCopy(folder);
    return report(found);
  }
  writeKept(join3(folder, "checkpoint"), cosigned(signed, mirror));
  console.log(
    `${head.size} leaves in ${((Date.now() - began) / 1e3).toFixed(1)} s, signed ${iso(head.signedAt)}`
  );
  const texts = await openTexts(join3(folder, "texts.ndjson"));
  const ofTexts = await texts.take(source, copy.histories, head.signedAt);
  const erasureOf = (record) => findErasure(source, head, fromHex(record), policy, crypto);
  found.push(...await withoutErased(ofTexts, erasureOf));
  console.log(`${texts.size()} texts`);
  return report(found);
}
var iso = (ms) => new Date(ms).toISOString();
function judgeHeads(before, head) {
  if (!before || before.size < head.size) return [];
  if (before.size > head.size)
    return [finding("A3", `The log has ${head.size} leaves, and ${before.size} were copied`)];
  return sameBytes(before.root, head.root) ? [] : [finding("A4", `The log signed two histories of ${head.size} leaves`)];
}
function report(findings) {
  for (const { check, words } of findings) console.log(`${check}  ${words}`);
  return findings.length === 0;
}
function cosigned(signed, { key, policy }) {
  const { text = "", signatures = [] } = readNote(signed) ?? {};
  const known = [...policy.logKeys, ...policy.witnesses];
  const lines = signatures.filter(
    (line) => known.some(({ name, keyId }) => name === line.name && keyId === line.keyId)
  );
  const own = key ? [cosign(key, text, Math.floor(Date.now() / 1e3))] : [];
  return writeNote({ text, signatures: [...lines, ...own] });
}
async function serve({ folder, policy }, port, host) {
  const prefix = `/${toHex(sha256(utf8(policy.origin)))}/`;
  const server = createServer((request, response) => {
    const path = (request.url ?? "").startsWith(prefix) ? (request.url ?? "").slice(prefix.length) : "";
    const isTile = readTilePath(path) !== null;
    const bytes = isTile || path === "checkpoint" ? readKept(join3(folder, path)) : null;
    const type = isTile ? "application/octet-stream" : "text/plain; charset=utf-8";
    response.writeHead(bytes ? 200 : 404, { "content-type": type }).end(bytes ?? "Nothing is here\n");
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  console.log(`Serves the copy at http://${host}:${server.address().port}${prefix}`);
}
runProgram(USAGE, main);
