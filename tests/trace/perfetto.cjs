// SPDX-License-Identifier: GPL-3.0-or-later
// Loads a trace into Perfetto's trace processor, in the form in which its viewer has it, and prints
// the rows of a query as JSON.
//
//   node perfetto.cjs <directory of engine_bundle.js> <trace> <query>
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [directory, trace, query] = process.argv.slice(2);

// Protocol buffers, as far as they are needed: numbers, and fields with a length.

function number(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  bytes.push(value);
  return Buffer.from(bytes);
}

function field(id, value) {
  if (typeof value === "number") return Buffer.concat([number(id * 8), number(value)]);
  return Buffer.concat([number(id * 8 + 2), number(value.length), value]);
}

function* fields(bytes) {
  let at = 0;
  const next = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(next());
    const kind = key % 8;
    if (kind === 0) {
      yield [key >> 3, next()];
      continue;
    }
    const length = kind === 1 ? 8 : kind === 5 ? 4 : Number(next());
    yield [key >> 3, bytes.subarray(at, at + length)];
    at += length;
  }
}

function* numbers(bytes) {
  for (let at = 0; at < bytes.length; ) {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    yield Number(BigInt.asIntN(64, value));
  }
}

// The cells of a batch of a query's result.
function cells(batch) {
  const kinds = [];
  const values = { 2: [], 3: [], 4: [] };
  for (const [id, value] of fields(batch)) {
    if (id === 1) kinds.push(...numbers(value));
    if (id === 2) values[2].push(...numbers(value));
    if (id === 3)
      for (let at = 0; at < value.length; at += 8)
        values[3].push(Buffer.from(value).readDoubleLE(at));
    if (id === 5) values[4].push(...Buffer.from(value).toString().split("\0").slice(0, -1));
  }
  return kinds.map((kind) => (kind === 1 ? null : values[kind].shift()));
}

const port = {};
let sequence = 0;

function call(method, id, argument) {
  const parts = [field(1, ++sequence), field(2, method)];
  if (argument !== undefined) parts.push(field(id, argument));
  port.onmessage({ data: new Uint8Array(field(1, Buffer.concat(parts))) });
}

let columns = [];
const result = [];

port.postMessage = (data) => {
  for (const [, message] of fields(Buffer.from(data)))
    for (const [id, value] of fields(message)) {
      if (id === 5) throw new Error(Buffer.from(value).toString());
      if (id === 201 || id === 203)
        for (const [inner, content] of fields(value)) {
          if (inner === 2 && content.length > 0) throw new Error(Buffer.from(content).toString());
          if (id === 203 && inner === 1) columns.push(Buffer.from(content).toString());
          if (id === 203 && inner === 3) result.push(...cells(content));
        }
    }
};

// A worker of a browser reads the engine's code at once.
class XMLHttpRequest {
  open(method, name) {
    this.name = path.basename(name);
  }
  send() {
    this.response = fs.readFileSync(path.join(directory, this.name)).buffer;
  }
}

const self = { location: { href: "http://localhost/" }, importScripts: () => {} };
const context = vm.createContext({
  self,
  WorkerGlobalScope: function () {},
  location: self.location,
  importScripts: self.importScripts,
  console: { log: console.error, warn: console.error, error: console.error },
  WebAssembly,
  // What it throws has to be of the classes that the engine knows.
  TypeError,
  RangeError,
  Uint8Array,
  TextDecoder,
  TextEncoder,
  URL,
  performance,
  crypto: globalThis.crypto,
  setTimeout,
  clearTimeout,
  XMLHttpRequest,
});

vm.runInContext(fs.readFileSync(path.join(directory, "engine_bundle.js"), "utf8"), context);
self.onmessage({ data: port });

// The engine is ready when it takes requests.
function run(attempts) {
  try {
    const bytes = fs.readFileSync(trace);
    for (let at = 0; at < bytes.length; at += 1 << 24)
      call(1, 101, bytes.subarray(at, at + (1 << 24)));
    call(2);
    call(3, 103, field(1, Buffer.from(query)));
    const rows = [];
    for (let at = 0; at < result.length; at += columns.length)
      rows.push(Object.fromEntries(columns.map((name, i) => [name, result[at + i]])));
    console.log(JSON.stringify(rows));
  } catch (error) {
    if (attempts === 0 || sequence > 1) {
      console.error(error);
      process.exit(1);
    }
    sequence = 0;
    setTimeout(() => run(attempts - 1), 100);
  }
}
setTimeout(() => run(100), 300);
