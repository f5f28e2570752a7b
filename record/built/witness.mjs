#!/usr/bin/env node

// programs/witness.ts
import { createServer } from "node:http";
import { join as join2 } from "node:path";

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
function writeVerifierKey({ name, keyId, type, publicKey }) {
  const id = keyId.toString(16).padStart(2 * KEY_ID_BYTES, "0");
  return `${name}+${id}+${toBase64(concat(new Uint8Array([type]), publicKey))}`;
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
function readNote(note2) {
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note2) || !note2.isWellFormed()) return null;
  const end = note2.lastIndexOf("\n\n");
  if (end < 0 || !note2.endsWith("\n")) return null;
  const lines = note2.slice(end + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return null;
  const signatures = lines.map(readSignatureLine);
  return signatures.every((line) => line !== null) ? { text: note2.slice(0, end + 1), signatures } : null;
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

// src/checkpoint.ts
function readCheckpoint(text) {
  const [, origin = "", digits = "", encoded = ""] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/=]+)\n(?:[^\n]+\n)*$/.exec(text) ?? [];
  const root = fromBase64(encoded);
  const size = Number(digits);
  return root?.length === HASH_BYTES && Number.isSafeInteger(size) ? { origin, size, root } : null;
}

// src/tree.ts
var LEAF = new Uint8Array([0]);
var NODE = new Uint8Array([1]);
function nodeHash(sha2562, left, right) {
  return sha2562(concat(NODE, left, right));
}
var emptyRoot = (sha2562) => sha2562(new Uint8Array());
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

// src/witness.ts
var MAX_PROOF = 63;
function readAddCheckpoint(body) {
  const [, digits = "", lines = "", checkpoint = ""] = /^old (0|[1-9]\d{0,15})\n((?:[A-Za-z0-9+/=]+\n)*)\n([\s\S]+)$/.exec(body) ?? [];
  const proof = lines === "" ? [] : lines.slice(0, -1).split("\n").map(readHash);
  if (digits === "" || proof.length > MAX_PROOF) return null;
  return proof.every((hash) => hash !== null) ? { old: Number(digits), proof, checkpoint } : null;
}
function readHash(line) {
  const hash = fromBase64(line);
  return hash?.length === HASH_BYTES ? hash : null;
}
var refuse = (status, body) => ({
  status,
  body: `${body}
`,
  type: "text/plain; charset=utf-8"
});
function cosign({ name, keyId, type, sign: sign2 }, text, at) {
  return { name, keyId, signature: writeSignature(type, sign2(signedBytes(type, text, at)), at) };
}
async function addCheckpoint(body, {
  logs,
  key,
  kept,
  at
}, { sha256: sha2562, verify: verify2 }) {
  const call = readAddCheckpoint(body);
  const note2 = call && readNote(call.checkpoint);
  const checkpoint = note2 && readCheckpoint(note2.text);
  if (!call || !note2 || !checkpoint) return refuse(400, "This is no call of add-checkpoint");
  const log = logs.find(({ origin }) => origin === checkpoint.origin);
  if (!log) return refuse(404, "This log is not known here");
  const signatures = await signaturesOf(note2, log.keys, verify2);
  if (!signatures) return refuse(403, "No key of this log signed the checkpoint");
  if (call.old > checkpoint.size) return refuse(400, "The old size is larger than the new one");
  const before = headOf(kept(log.origin));
  if (call.old !== (before?.size ?? 0))
    return { status: 409, body: `${before?.size ?? 0}
`, type: "text/x.tlog.size" };
  const isEmpty = checkpoint.size === 0;
  if (isEmpty && !sameBytes(checkpoint.root, emptyRoot(sha2562)))
    return refuse(422, "The empty tree has another root");
  const old = before ?? { size: 0, root: emptyRoot(sha2562) };
  if (!isContinuation(sha2562, old, checkpoint, call.proof))
    return refuse(422, "The checkpoint does not go on the one before");
  const own = cosign(key, note2.text, at);
  return {
    status: 200,
    body: writeSignatureLine(own),
    type: "text/plain; charset=utf-8",
    keep: writeNote({ text: note2.text, signatures: [...signatures, own] }),
    origin: log.origin
  };
}
async function signaturesOf(note2, keys, verify2) {
  const signers = await signersOf(note2, keys, verify2);
  return signers && note2.signatures.filter(
    (line) => signers.some(({ key }) => key.name === line.name && key.keyId === line.keyId)
  );
}
function headOf(kept) {
  const note2 = kept === null ? null : readNote(kept);
  return note2 && readCheckpoint(note2.text);
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

// programs/lock-folder.ts
import { mkdirSync as mkdirSync2, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// src/tiles.ts
var MAX_INDEX = 2 ** 48;

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
function newSecretKey(name, seed = randomBytes(SEED_BYTES)) {
  const { keyId } = verifierKey(sha256, { name, type: TIMED2, publicKey: ed25519Of(seed).publicKey });
  const id = keyId.toString(16).padStart(8, "0");
  return `PRIVATE+KEY+${name}+${id}+${toBase64(concat(new Uint8Array([TIMED2]), seed))}`;
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
var verifierText = (key) => writeVerifierKey(key);

// programs/http-source.ts
var MAX_ANSWER_BYTES = 64 * 1024 * 1024;
var NoAnswer = class extends Error {
};

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

// programs/witness.ts
var USAGE = `A witness of public records (c2sp.org/tlog-witness): it signs a checkpoint that goes on the one before, and no other.

  node witness.mjs new-key NAME FILE     writes a secret key, and prints the public one; NAME such as example.com/witness
  node witness.mjs serve --key FILE --logs FILE --data FOLDER [--port 8080] [--host 127.0.0.1]

  --logs          the public keys of logs, one a line, as HOST/record/keys shows them (type 4); their name is the log's origin
  --data          where the newest checkpoints lie; lose it and the witness can be led to sign another history

POST /add-checkpoint, and GET /HASH/checkpoint with the SHA-256 of the origin in hexadecimal.`;
var MAX_BODY_BYTES = 256 * 1024;
var SLOW_MS = 15e3;
async function main([command, ...args]) {
  if (command === "new-key") return makeKey(args);
  if (command !== "serve") throw new Usage("new-key or serve?");
  const call = readCall(args, { options: ["key", "logs", "data", "port", "host"] });
  const key = readSecretKey(readNeeded(needed(call, "key")));
  const logs = readLogs(readNeeded(needed(call, "logs")));
  const folder = needed(call, "data");
  lockFolder(folder);
  const answer = witnessOf({ key, logs, folder });
  const server = createServer((request, response) => {
    answer(request).then(
      (given) => respond(response, given),
      (error) => {
        console.error(error);
        respond(response, { status: 500, body: "Not now\n", type: "text/plain; charset=utf-8" });
      }
    );
  });
  server.requestTimeout = SLOW_MS;
  server.headersTimeout = SLOW_MS;
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(Number(call.options.get("port") ?? 8080), call.options.get("host") ?? "127.0.0.1", resolve);
  });
  const { address, port } = server.address();
  console.log(`Witness ${verifierText(key)} at http://${address}:${port}`);
  await new Promise((resolve) => server.once("close", resolve));
  return 0;
}
function makeKey([name, file]) {
  if (!name || !file) throw new Usage("new-key needs a name and a file.");
  if (readKeptText(file) !== null) throw new Usage(`${file} is there already.`);
  const secret = newSecretKey(name);
  writeKept(file, `${secret}
`);
  console.log(verifierText(readSecretKey(secret)));
  return 0;
}
function readNeeded(file) {
  const text = readKeptText(file);
  if (text === null) throw new Usage(`There is no file ${file}.`);
  return text;
}
function readLogs(text) {
  const logs = /* @__PURE__ */ new Map();
  for (const line of text.split("\n").filter((one) => one.trim() !== "" && !one.startsWith("#"))) {
    const key = readVerifierKey(sha256, line.trim());
    if (!key) throw new Usage(`This is no public key: ${line}`);
    logs.set(key.name, { origin: key.name, keys: [...logs.get(key.name)?.keys ?? [], key] });
  }
  if (logs.size === 0) throw new Usage("There is no log.");
  return [...logs.values()];
}
var hashOf = (origin) => toHex(sha256(utf8(origin)));
var note = (body) => ({ status: 200, body, type: "text/plain; charset=utf-8" });
var refusal = (status, words) => ({ ...note(`${words}
`), status });
function witnessOf({
  key,
  logs,
  folder
}) {
  const fileOf = (origin) => join2(folder, hashOf(origin), "checkpoint");
  let last = Promise.resolve();
  function add(body) {
    const answered = last.then(async () => {
      const kept = (origin2) => readKeptText(fileOf(origin2));
      const at = Math.floor(Date.now() / 1e3);
      const { keep, origin, ...answer } = await addCheckpoint(body, { logs, key, kept, at }, crypto);
      if (keep !== void 0 && origin !== void 0) writeKept(fileOf(origin), keep);
      return answer;
    });
    last = answered.catch(() => void 0);
    return answered;
  }
  return async (request) => {
    const path = request.url ?? "";
    if (path === "/add-checkpoint") {
      if (request.method !== "POST") return refusal(405, "POST only");
      const body = await readBody(request);
      return body === null ? refusal(413, "Too long") : add(body);
    }
    const log = logs.find(({ origin }) => path === `/${hashOf(origin)}/checkpoint`);
    const kept = log && readKeptText(fileOf(log.origin));
    return kept ? note(kept) : refusal(404, "Nothing is here");
  };
}
async function readBody(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
function respond(response, { status, body, type }) {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
}
runProgram(USAGE, main);
