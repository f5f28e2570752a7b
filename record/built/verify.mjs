#!/usr/bin/env node

// programs/verify.ts
import { readFileSync as readFileSync2 } from "node:fs";

// src/bytes.ts
var HASH_BYTES = 32;
var encoder = new TextEncoder();
var decoder = new TextDecoder("utf-8", { fatal: true });
var utf8 = (text) => encoder.encode(text);
function readUtf8(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
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
function toBase64Url(bytes) {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
function fromBase64Url(text) {
  const bytes = fromBase64(
    text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - text.length % 4) % 4)
  );
  return bytes && toBase64Url(bytes) === text ? bytes : null;
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
var SALT_BYTES = 32;
var LEAF_KINDS = ["opened", "closed", "adjusted", "erased", "key", "marks"];
var LEAF_FLAGS = { override: 1, operator: 2, imported: 4 };
var VERSION = 1;
var MAX_HOLD = 5;
var ALL_FLAGS = 7;
var RESERVED_BYTES = 4;
var isZero = (bytes) => bytes.every((byte) => byte === 0);
var NO_RECORD = new Uint8Array(RECORD_ID_BYTES);
var NO_HASH = new Uint8Array(HASH_BYTES);
function writeLeaf(leaf) {
  const bytes = concat(
    new Uint8Array([VERSION, LEAF_KINDS.indexOf(leaf.kind) + 1, leaf.hold, leaf.flags]),
    leaf.record,
    number(leaf.seq, 4),
    number(leaf.seqOfOpening, 4),
    number(leaf.open, 4),
    number(leaf.at, 8),
    leaf.previous,
    leaf.commitment,
    new Uint8Array(RESERVED_BYTES)
  );
  if (!readLeaf(bytes)) throw new RangeError("These facts make no leaf");
  return bytes;
}
function readLeaf(bytes) {
  if (bytes.length !== LEAF_BYTES) return null;
  const reader = readBytes(bytes);
  const version = reader.number(1);
  const kind = LEAF_KINDS[(reader.number(1) ?? 0) - 1];
  const hold = reader.number(1) ?? 0;
  const flags = reader.number(1) ?? 0;
  const record = reader.take(RECORD_ID_BYTES) ?? NO_RECORD;
  const [seq, seqOfOpening, open] = [reader.number(4) ?? 0, reader.number(4) ?? 0, reader.number(4) ?? 0];
  const at = reader.number(8);
  const previous = reader.take(HASH_BYTES) ?? NO_HASH;
  const commitment = reader.take(HASH_BYTES) ?? NO_HASH;
  const reserved = reader.take(RESERVED_BYTES) ?? NO_HASH;
  if (version !== VERSION || !kind || at === null || flags > ALL_FLAGS || !isZero(reserved)) return null;
  const leaf = { kind, hold, flags, record, seq, seqOfOpening, open, at, previous, commitment };
  return agrees(leaf) ? leaf : null;
}
function agrees({ kind, hold, record, seq, seqOfOpening, open, previous }) {
  if (kind === "opened" ? hold < 1 || hold > MAX_HOLD : hold !== 0) return false;
  if (kind === "key" || kind === "marks")
    return isZero(record) && seq === 0 && seqOfOpening === 0 && open === 0 && isZero(previous);
  const isOfPosition = kind === "closed" || kind === "adjusted";
  if (isOfPosition ? seqOfOpening < 1 || seqOfOpening >= seq : seqOfOpening !== 0) return false;
  return !isZero(record) && seq >= 1 && seq === 1 === isZero(previous);
}
var COMMITMENT_LABEL = "tradepost/1\n";
function commitTo(sha2562, salt, text) {
  return sha2562(concat(utf8(COMMITMENT_LABEL), salt, utf8(text)));
}

// src/checkpoint.ts
function writeCheckpoint({ origin, size, root }) {
  return `${origin}
${size}
${toBase64(root)}
`;
}
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
var MAX_INDEX = 2 ** 48;
function tilePath({ level, index, width }) {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, "0");
  const steps = (padded.match(/\d{3}/g) ?? []).map(
    (step, at, all) => at < all.length - 1 ? `x${step}` : step
  );
  return `tile/${level}/${steps.join("/")}${width === TILE_WIDTH ? "" : `.p/${width}`}`;
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
async function isAnothersSince(source, size, leaves, erasedAt) {
  const first = Math.min(...leaves);
  if (!(first < size)) return false;
  const tile = Math.floor(first / TILE_WIDTH);
  const width = widthAt({ level: "entries", index: tile }, size);
  const entry = readBundle(await source.bundle(tile, width), width)?.[first - tile * TILE_WIDTH];
  const at = entry && readLeaf(entry)?.at;
  return at !== void 0 && at - erasedAt >= NAME_KEPT_MS;
}
async function withoutErased(found, erasureOf) {
  const records = new Set(found.flatMap(({ check, record }) => check === "A14" && record ? [record] : []));
  const erased = /* @__PURE__ */ new Set();
  for (const record of records) if (await erasureOf(record) !== null) erased.add(record);
  return found.filter(({ check, record }) => check !== "A14" || !erased.has(record ?? ""));
}

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
function countsAt(histories, record, seq) {
  const counts = { open: 0, closed: 0 };
  const isAt = (done) => done !== null && done <= seq;
  for (const index of record.leaves) {
    const leaf = histories.leaf(index);
    const position = leaf.kind === "opened" && leaf.seq <= seq ? histories.position(record, leaf.seq) : null;
    if (position && !isAt(position.struckSeq)) counts[isAt(position.closedSeq) ? "closed" : "open"] += 1;
  }
  return counts;
}

// src/judge-counts.ts
var LATE_MS = 6e5;
function judgeCounts(username, shown, histories, signedAt) {
  const where = { record: shown.record };
  const history = histories.records.get(shown.record);
  if (!history)
    return shown.seq === 0 && shown.leaves.length === 0 && shown.open === 0 && shown.closed === 0 ? [] : [finding("A16", `The site shows ${shown.closed} closed of ${username}, the log has nothing`, where)];
  if (history.isErased) return [];
  const next = history.leaves[shown.seq];
  const isLate = next !== void 0 && histories.leaf(next).at < signedAt - LATE_MS;
  const seq = isLate ? history.leaves.length : Math.min(shown.seq, history.leaves.length);
  const counts = countsAt(histories, history, seq);
  const found = [];
  const differ = (check, words, at, inLog) => {
    if (at !== inLog)
      found.push(finding(check, `The site counts ${at} ${words} of ${username}, the log ${inLog}`, where));
  };
  differ("A15", "open", shown.open, counts.open);
  differ("A16", "closed", shown.closed, counts.closed);
  return [...found, ...judgeLeaves(username, shown, histories, history.leaves.slice(0, seq))];
}
function judgeLeaves(username, shown, histories, due) {
  const history = histories.records.get(shown.record);
  if (!history) return [];
  const record = history.id;
  const listed = new Set(shown.leaves);
  const own = new Set(history.leaves);
  const hidden = due.flatMap((index) => {
    if (listed.has(index)) return [];
    const position = histories.position(history, openingOf(histories.leaf(index)));
    const check = position?.closedSeq === null ? "A15" : "A16";
    return [finding(check, `The site leaves out leaf ${index} of ${username}`, { index, record })];
  });
  const invented = shown.leaves.flatMap(
    (index) => own.has(index) ? [] : [finding("A16", `The site lists leaf ${index}, which is not of ${username}`, { index, record })]
  );
  return [...hidden, ...invented];
}

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

// src/judge-keys.ts
function judgeKeys({ logKeys }, texts, sha2562) {
  const announced = new Set(
    texts.flatMap((text) => {
      const entry = readEntryText(text);
      const key = entry?.kind === "key" ? readVerifierKey(sha2562, entry.verifierKey) : null;
      return key ? [toHex(key.publicKey)] : [];
    })
  );
  const silent = new Set(
    logKeys.map(({ publicKey }) => toHex(publicKey)).filter((key) => !announced.has(key))
  );
  return silent.size > 1 ? [finding("A24", `${silent.size} keys are announced nowhere, and a log begins with one`)] : [];
}

// src/judge-names.ts
function judgeNames(pages) {
  const named = /* @__PURE__ */ new Map();
  return pages.flatMap(({ username, shown }) => {
    const name = username.toLowerCase();
    const first = shown ? named.get(shown.record) : void 0;
    if (shown && first === void 0) named.set(shown.record, name);
    return shown && first !== void 0 && first !== name ? [finding("A16", `The site shows ${username} the record of ${first}`, { record: shown.record })] : [];
  });
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

// src/audit.ts
var AHEAD_MS = 6e4;
var AT_ONCE = 5;
async function auditLog(source, policy, crypto2, usernames = []) {
  const pages = await Promise.all(
    usernames.map(async (username) => ({ username, shown: await source.trader(username) }))
  );
  const { head, findings } = await readSignedHead(await source.checkpoint(), policy, crypto2);
  const missing = pages.flatMap(({ username, shown }) => shown ? [] : [username]);
  if (!head) return { findings, head, missing };
  const { histories, others, found } = await readLeaves(source, head, crypto2);
  const records = [...histories.records.values()];
  const announced = [];
  const ofOthers = await readTexts(source, others, crypto2, (text) => announced.push(text));
  const erasureOf = (record) => findErasure(source, head, fromHex(record), policy, crypto2);
  const judgeRecord = async (record) => withoutErased(
    await readTexts(source, [...revealedOf(histories, record, head.signedAt)], crypto2),
    erasureOf
  );
  const ofRecords = [];
  for (let from = 0; from < records.length; from += AT_ONCE)
    ofRecords.push(...(await Promise.all(records.slice(from, from + AT_ONCE).map(judgeRecord))).flat());
  const ofPages = pages.flatMap(
    ({ username, shown }) => shown ? judgeCounts(username, shown, histories, head.signedAt) : []
  );
  const ofAll = [...judgeKeys(policy, announced, crypto2.sha256), ...judgeNames(pages)];
  return { findings: [...findings, ...found, ...ofOthers, ...ofRecords, ...ofPages, ...ofAll], head, missing };
}
async function readLeaves(source, { size, root, signedAt }, { sha256: sha2562 }) {
  const histories = followHistories();
  const tree = growingRoot(sha2562);
  const found = [];
  const others = [];
  for (let tile = 0; tile * TILE_WIDTH < size; tile++) {
    const width = widthAt({ level: "entries", index: tile }, size);
    const entries = readBundle(await source.bundle(tile, width), width);
    if (!entries) {
      found.push(finding("A6", `The entries from ${tile * TILE_WIDTH} cannot be read`));
      return { histories, others, found };
    }
    for (const entry of entries) {
      const index = tree.size();
      const hash = leafHash(sha2562, entry);
      const leaf = readLeaf(entry);
      tree.add(hash);
      if (!leaf) {
        found.push(finding("A7", `Entry ${index} is no leaf of the record`, { index }));
        continue;
      }
      found.push(...histories.add(index, leaf, hash));
      if (leaf.at > signedAt + AHEAD_MS)
        found.push(finding("A12", `Leaf ${index} is later than the signature over it`, { index }));
      if (leaf.seq === 0)
        others.push({ leaf: histories.leaf(index), record: null, position: null, isDue: false });
    }
  }
  if (!sameBytes(tree.root(), root)) found.push(finding("A6", `The checkpoint of ${size} leaves`));
  return { histories, others, found };
}
async function readTexts(source, revealed, { sha256: sha2562 }, note = () => void 0) {
  const found = [];
  for (let from = 0; from < revealed.length; from += AT_ONCE) {
    const batch = revealed.slice(from, from + AT_ONCE);
    const answers = await Promise.all(batch.map(({ leaf }) => source.opening(leaf.index)));
    for (const [at, one] of batch.entries()) {
      const answer = answers[at] ?? "sealed";
      const judged = judgeText(sha2562, one, answer);
      found.push(...judged);
      if (typeof answer === "object" && judged.length === 0) note(answer.text);
    }
  }
  return found;
}

// src/receipt.ts
var VERSION2 = 1;
var SIGNATURE_BYTES2 = 76;
var KEY_ID_BYTES2 = 4;
function readReceipt(bytes) {
  const reader = readBytes(bytes);
  const missing = Number.POSITIVE_INFINITY;
  const version = reader.number(1);
  const leaf = reader.take(LEAF_BYTES);
  const salt = reader.take(SALT_BYTES);
  const text = readUtf8(reader.take(reader.number(2) ?? missing) ?? new Uint8Array([255]));
  const [index, size] = [reader.number(6), reader.number(6)];
  const path = list(reader.number(1), () => reader.take(HASH_BYTES));
  const signatures = list(reader.number(1), () => {
    if (reader.number(1) !== SIGNATURE_BYTES2) return null;
    const keyId = reader.number(KEY_ID_BYTES2);
    const signature = reader.take(SIGNATURE_BYTES2 - KEY_ID_BYTES2);
    return keyId === null || !signature ? null : { keyId, signature };
  });
  if (version !== VERSION2 || !leaf || !salt || text === null || index === null || size === null) return null;
  if (!path || !signatures || !reader.isAtEnd()) return null;
  return { leaf, salt, text, index, size, path, signatures };
}
function list(length, read) {
  if (length === null) return null;
  const items = [];
  while (items.length < length) {
    const item = read();
    if (item === null) return null;
    items.push(item);
  }
  return items;
}
async function checkReceipt(bytes, { origin, logKeys, witnesses, quorum }, { sha256: sha2562, verify: verify2 }) {
  const receipt = readReceipt(bytes);
  const leaf = receipt && readLeaf(receipt.leaf);
  if (!receipt || !leaf) return { refused: "unreadable" };
  const { index, path, salt, size, text } = receipt;
  if (!sameBytes(commitTo(sha2562, salt, text), leaf.commitment)) return { refused: "other_text" };
  const root = rootOfInclusion(sha2562, { leaf: leafHash(sha2562, receipt.leaf), index, size, path });
  if (!root) return { refused: "not_in_tree" };
  const keys = [...logKeys, ...witnesses];
  const signatures = receipt.signatures.flatMap((line) => {
    const key = keys.find(({ keyId }) => keyId === line.keyId);
    return key ? [{ ...line, name: key.name }] : [];
  });
  const signed = await signersOf({ text: writeCheckpoint({ origin, size, root }), signatures }, keys, verify2);
  const ofLog = signed?.find(({ key }) => logKeys.includes(key));
  if (!signed || ofLog?.at === void 0 || ofLog.at === null) return { refused: "not_signed" };
  const names = new Set(signed.flatMap(({ key }) => witnesses.includes(key) ? [key.name] : []));
  if (names.size < quorum) return { refused: "too_few_witnesses" };
  return { leaf, text, index, size, root, signedAt: ofLog.at, witnesses: [...names] };
}

// src/find-receipts.ts
var LINK = /(https?:\/\/[^\s/"'<>]+)\/verify#([A-Za-z0-9_-]+)/g;
var BASE64_PART = /content-transfer-encoding:\s*base64[\s\S]*?\r?\n\r?\n([A-Za-z0-9+/=\s]+)/gi;
function findReceipts(text) {
  const found = /* @__PURE__ */ new Map();
  const unreadable = /* @__PURE__ */ new Map();
  for (const variant of variantsOf(text))
    for (const [, site = "", fragment = ""] of variant.matchAll(LINK)) {
      const bytes = fromBase64Url(fragment) ?? new Uint8Array();
      const isReadable = readReceipt(bytes) !== null;
      (isReadable ? found : unreadable).set(`${site}#${fragment}`, { site, bytes });
    }
  return [...(found.size > 0 ? found : unreadable).values()];
}
function variantsOf(text) {
  const parts = [...text.matchAll(BASE64_PART)].map(([, part = ""]) => decodePart(part));
  return [text, ...parts].flatMap((variant) => [
    variant,
    variant.replace(/=\r?\n/g, "").replace(/=3D/gi, "="),
    variant.replace(
      /\r?\n(?:> ?)*/g,
      (end, at) => isBlankAfter(variant, at) ? "\n\n" : end.slice(0, 0)
    ),
    variant.replace(/%3A/gi, ":").replace(/%2F/gi, "/").replace(/%23/g, "#")
  ]);
}
function isBlankAfter(text, at) {
  return /^\r?\n(?:> ?)*(\r?\n|$)/.test(text.slice(at, at + 20));
}
function decodePart(part) {
  try {
    return atob(part.replace(/\s/g, ""));
  } catch {
    return "";
  }
}

// src/held.ts
async function readHeld(held, policy, crypto2) {
  const findings = [];
  const roots = [];
  const receipts = [];
  for (const { bytes, username } of held.receipts) {
    const checked = await checkReceipt(bytes, policy, crypto2);
    if ("refused" in checked) findings.push(finding("A17", `A receipt (${checked.refused})`));
    else {
      receipts.push({ ...checked, username: username ?? null });
      roots.push({ ...checked, from: `the receipt of leaf ${checked.index}` });
    }
  }
  for (const note of held.checkpoints) {
    const { head, findings: refused } = await readSignedHead(note, { ...policy, quorum: 0 }, crypto2);
    findings.push(...refused);
    if (head) roots.push({ ...head, from: "a checkpoint that was seen" });
  }
  return { findings, roots, receipts };
}
function judgePairs(roots) {
  return roots.flatMap(
    (later, at) => roots.slice(0, at).filter((earlier) => earlier.size === later.size && !sameBytes(earlier.root, later.root)).map(
      (earlier) => finding(
        "A4",
        `The log signed two histories of ${later.size} leaves (${earlier.from}, ${later.from})`
      )
    )
  );
}
async function judgeHeld(held, policy, crypto2) {
  const { findings, roots } = await readHeld(held, policy, crypto2);
  return [...findings, ...judgePairs(roots)];
}
async function auditHeld(held, source, policy, crypto2) {
  const { findings: found, roots, receipts } = await readHeld(held, policy, crypto2);
  const { head, findings: ofHead } = await readSignedHead(await source.checkpoint(), policy, crypto2);
  found.push(...judgePairs(roots), ...ofHead);
  if (!head) return found;
  for (const known of roots) {
    if (known.size > head.size)
      found.push(finding("A3", `The log has ${head.size} leaves, and ${known.from} says ${known.size}`));
    else if (known.size === head.size) found.push(...judgePairs([known, { ...head, from: "the log now" }]));
    else if (!isContinuation(crypto2.sha256, known, head, await source.consistency(known.size, head.size) ?? []))
      found.push(finding("A5", `The log of ${head.size} leaves, beside ${known.from}`));
  }
  for (const receipt of receipts) found.push(...await judgeReceipt(receipt, source, head, policy, crypto2));
  return found;
}
async function judgeReceipt(receipt, source, head, policy, crypto2) {
  const { index, leaf, text, username } = receipt;
  const where = { index, ...leaf.seq > 0 ? { record: leaf.record } : {} };
  const found = [];
  const path = index < head.size ? await source.inclusion(index, head.size) : null;
  const place = { leaf: leafHash(crypto2.sha256, writeLeaf(leaf)), index, size: head.size, path: path ?? [] };
  const isAtPlace = sameBytes(rootOfInclusion(crypto2.sha256, place) ?? new Uint8Array(), head.root);
  if (!isAtPlace) found.push(finding("A18", `Leaf ${index} of ${head.size}`, where));
  const shown = await source.opening(index);
  if (typeof shown === "object") found.push(...judgeShown(text, shown.text, where));
  const trader = username === null ? null : await source.trader(username);
  const isGone = shown === "erased" || username !== null && trader?.record !== toHex(leaf.record);
  const name = username ?? "this trader";
  if (isGone) {
    const erasedAt = await findErasure(source, head, leaf.record, policy, crypto2);
    if (erasedAt === null)
      found.push(finding("A20", `Nothing says that the record of ${name} was erased`, where));
    else if (trader && !await isAnothersSince(source, head.size, trader.leaves, erasedAt))
      found.push(
        finding("A20", `The record of ${name} was erased, and the name goes on under another`, where)
      );
  } else if (trader && !await isListed(trader.leaves, source, receipt, isAtPlace || shown === "sealed"))
    found.push(finding("A21", `Leaf ${index} of ${name}`, where));
  return found;
}
async function isListed(leaves, source, { index, text }, isOwnPlace) {
  if (isOwnPlace) return leaves.includes(index);
  for (const listed of leaves) {
    const shown = await source.opening(listed);
    if (typeof shown === "object" && shown.text === text) return true;
  }
  return false;
}
function judgeShown(mine, shown, where) {
  if (mine === shown) return [];
  const found = [finding("A19", `The mail says ${mine}, the site ${shown}`, where)];
  const [ofMail, ofSite] = [factsOf(mine), factsOf(shown)];
  if (ofMail.price !== ofSite.price)
    found.push(finding("A22", `The mail says ${ofMail.price}, the site ${ofSite.price}`, where));
  if (ofMail.quotedAt !== ofSite.quotedAt)
    found.push(finding("A23", `The mail says ${ofMail.quotedAt}, the site ${ofSite.quotedAt}`, where));
  return found;
}
function factsOf(text) {
  const entry = readEntryText(text);
  return {
    price: entry && "price" in entry ? entry.price : null,
    quotedAt: entry && "quotedAt" in entry ? entry.quotedAt : null
  };
}

// src/receipt-words.ts
var DATE = new Intl.DateTimeFormat("en-US", {
  ...{ month: "short", day: "numeric", year: "numeric", hour: "2-digit", minute: "2-digit" },
  ...{ hourCycle: "h23", timeZone: "UTC" }
});
var inWords = (ms) => Number.isNaN(new Date(ms).getTime()) ? String(ms) : `${DATE.format(ms)} UTC`;
function wordsOfReceipt({ leaf, text, index, size, signedAt, witnesses }, site) {
  const isImported = (leaf.flags & LEAF_FLAGS.imported) !== 0;
  const since = isImported ? `; it is from before the record began` : ` since ${inWords(signedAt * 1e3)}`;
  const entry = readEntryText(text);
  const signers = witnesses.length === 0 ? "No witness signed it." : `Witnesses signed it too: ${witnesses.join(", ")}.`;
  return [
    `This mail is part of the public record of ${site}${since}.`,
    ...leaf.seq === 0 ? [] : [
      leaf.open === 1 ? "1 position of this trader was open then." : `${leaf.open} positions of this trader were open then.`
    ],
    `It says: ${entry ? wordsOfEntry(entry) : text}.`,
    `Leaf ${index} of ${size}, of ${inWords(leaf.at)}. ${signers}`
  ].join("\n");
}
function wordsOfEntry(entry) {
  switch (entry.kind) {
    case "opened":
    case "closed":
    case "settled":
      return `${entry.kind} ${entry.symbol}${wordsOfPrice(entry)}`;
    case "split":
      return `${entry.symbol} split ${entry.newShares}:${entry.oldShares} on ${entry.day}`;
    case "corrected":
      return `the price at the ${entry.end} of ${entry.symbol} was set to ${entry.price} USD`;
    case "struck":
      return `the position in ${entry.symbol} was struck`;
    case "renamed":
      return `${entry.symbol} is ${entry.symbolAfter} from ${entry.day} on`;
    case "erased":
      return "the record was erased";
    case "key":
      return `a new key signs from ${entry.day} on`;
    case "marks":
      return `closing prices of ${entry.day}`;
  }
}
function wordsOfPrice({ price, quotedAt }) {
  const at = Number.isNaN(Date.parse(quotedAt)) ? quotedAt : inWords(Date.parse(quotedAt));
  return `${price === "" ? "" : ` at ${price} USD`}${at === "" ? "" : `, quoted ${at}`}`;
}
var WORDS_OF_REFUSAL = {
  unreadable: "This is no whole receipt. The link may have been cut or changed on its way.",
  other_text: "This receipt is false: its text is not the one that was committed to.",
  not_in_tree: "This receipt is false: its leaf is at no place of the record.",
  not_signed: "This receipt is false: the record’s key did not sign it.",
  too_few_witnesses: "Fewer witnesses signed this receipt than are asked for."
};

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
var verifyEd25519 = (publicKey, message, signature) => {
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: "der", type: "spki" });
  return verify(null, message, key, signature);
};
var crypto = { sha256, verify: verifyEd25519 };

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
function traderOf({ record, seq, open, closed, leaves }) {
  return {
    record: String(record),
    seq: Number(seq),
    open: Number(open),
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

// programs/verify.ts
var USAGE = `Checks receipts of a public record, and audits a whole record.

  node verify.mjs [options] RECEIPT ...     a link in quotes, or a file: a mail (.eml) or a text with the link
  node verify.mjs [options] --audit https://HOST [RECEIPT ...]

  --keys FILE     the record's keys, as HOST/record/keys shows them; asked from HOST without it, which then has to be trusted
  --offline       asks nobody; needs --keys
  --trader NAME   whose mails these are; with --audit names with commas between, whose pages are held against the log
  --seen FILE     keeps the newest checkpoint that was seen, and holds the log to it

Ends with 0 where everything is true, with 1 where the record is at fault or a receipt false, with 2 where nothing could be checked.`;
async function main(args) {
  const call = readCall(args, { options: ["keys", "trader", "seen", "audit"], flags: ["offline"] });
  const inputs = call.words.map((word) => ({ word, receipts: findReceipts(readInput(word)) }));
  const audited = call.options.get("audit")?.replace(/\/+$/, "");
  const sites = /* @__PURE__ */ new Set([
    ...audited === void 0 ? [] : [audited],
    ...inputs.flatMap(({ receipts: receipts2 }) => receipts2.map(({ site }) => site))
  ]);
  for (const { word, receipts: receipts2 } of inputs)
    if (receipts2.length === 0) console.log(`There is no receipt in ${shortened(word)}.`);
  if (sites.size === 0 && inputs.length === 0) throw new Usage("There is nothing to check.");
  const codes = inputs.some(({ receipts: receipts2 }) => receipts2.length === 0) ? [2] : [];
  const receipts = inputs.flatMap((input) => input.receipts);
  for (const site of sites)
    codes.push(
      await checkSite(
        site,
        receipts.filter((one) => one.site === site),
        call,
        site === audited
      )
    );
  return codes.includes(1) ? 1 : Math.max(...codes);
}
function readInput(word) {
  if (/^https?:\/\//.test(word)) return word;
  try {
    return readFileSync2(word, "latin1");
  } catch (error) {
    throw new Usage(`${shortened(word)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
var shortened = (word) => word.length > 60 ? `${word.slice(0, 57)}...` : word;
async function checkSite(site, receipts, call, isAudited) {
  const policy = await policyOf(site, call);
  const host = new URL(site).host;
  let isFalse = false;
  for (const { bytes } of receipts) {
    const checked = await checkReceipt(bytes, policy, crypto);
    isFalse ||= "refused" in checked;
    console.log("refused" in checked ? WORDS_OF_REFUSAL[checked.refused] : wordsOfReceipt(checked, host));
    console.log();
  }
  const seen = call.options.get("seen");
  const kept = seen === void 0 ? null : readKeptText(seen);
  const usernames = call.options.get("trader")?.split(",") ?? [];
  const [only, ...others] = usernames;
  const username = others.length === 0 && only !== void 0 ? { username: only } : {};
  const held = {
    receipts: receipts.map(({ bytes }) => ({ bytes, ...username })),
    checkpoints: kept === null ? [] : [kept]
  };
  if (call.flags.has("offline")) return report(await judgeHeld(held, policy, crypto), isFalse);
  try {
    const { findings, checkpoint } = await compare(site, held, policy, isAudited ? usernames : null);
    if (seen !== void 0 && findings.length === 0) writeKept(seen, checkpoint);
    return report(findings, isFalse);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    console.log(`${error.message} So nothing was compared with the record of today.`);
    const code = report(await judgeHeld(held, policy, crypto), isFalse);
    return code === 0 && (isAudited || receipts.length === 0) ? 2 : code;
  }
}
async function policyOf(site, call) {
  const file = call.options.get("keys");
  if (file !== void 0) {
    const bytes = readKept(file);
    if (!bytes) throw new Usage(`There is no file ${file}.`);
    return readPolicy(bytes);
  }
  if (call.flags.has("offline")) throw new Usage("--offline needs --keys.");
  console.log(`The keys are those that ${new URL(site).host} shows today; --keys holds it to others.
`);
  return readPolicy(await getWhole(`${site}/record/keys`));
}
async function compare(site, held, policy, usernames) {
  const source = httpSource(site);
  const checkpoint = await source.checkpoint();
  const answers = [checkpoint];
  const sameFirst = { ...source, checkpoint: async () => answers.shift() ?? source.checkpoint() };
  const findings = await auditHeld(held, sameFirst, policy, crypto);
  if (usernames === null) return { findings, checkpoint };
  const audit = await auditLog(source, policy, crypto, usernames);
  const { head, missing } = audit;
  if (missing.length > 0) console.log(`There is no page of ${missing.join(", ")}.`);
  if (head) {
    const pages = usernames.length === 0 ? "" : `, and the pages of ${usernames.join(", ")}`;
    console.log(`Audited ${head.size} leaves, signed ${inWords(head.signedAt)}${pages}.`);
  }
  return { findings: [...findings, ...audit.findings], checkpoint };
}
function report(findings, isFalse) {
  const others = findings.filter(({ check }) => check !== "A17");
  for (const { check, words } of others) console.log(`${check}  ${words}`);
  if (others.length > 0) console.log("\nKeep this mail and these lines: they convict the record’s operator.");
  else if (!isFalse) console.log("Nothing contradicts it.");
  return isFalse || findings.length > 0 ? 1 : 0;
}
runProgram(USAGE, main);
