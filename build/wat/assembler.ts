/**
 * Assembles WebAssembly text: functions, imports of functions and a memory, exports of functions, and folded
 * instructions. The WebAssembly specification describes the binary form in chapter 5.
 */

/** A word, a quoted text with its quotes, or a list in parentheses. */
type Node = string | readonly Node[];

const VALUE_TYPES: Readonly<Record<string, number>> = { i32: 0x7f, i64: 0x7e, f64: 0x7c, v128: 0x7b };
const EMPTY_BLOCK = 0x40;
const FUNCTION_TYPE = 0x60;
const SIMD = 0xfd;
const END = 0x0b;
const ELSE = 0x05;

/** Instructions that take all operands from the stack. */
const PLAIN: Readonly<Record<string, number>> = {
  unreachable: 0x00,
  return: 0x0f,
  drop: 0x1a,
  select: 0x1b,
  ...{ 'i32.eqz': 0x45, 'i32.eq': 0x46, 'i32.ne': 0x47, 'i32.lt_s': 0x48, 'i32.lt_u': 0x49 },
  ...{ 'i32.gt_s': 0x4a, 'i32.gt_u': 0x4b, 'i32.le_s': 0x4c, 'i32.le_u': 0x4d, 'i32.ge_s': 0x4e },
  ...{ 'i32.ge_u': 0x4f, 'i64.eqz': 0x50, 'i64.eq': 0x51, 'i64.ne': 0x52 },
  ...{ 'f64.lt': 0x63, 'f64.gt': 0x64, 'f64.le': 0x65, 'f64.ge': 0x66 },
  ...{ 'i32.clz': 0x67, 'i32.ctz': 0x68, 'i32.popcnt': 0x69, 'i32.add': 0x6a, 'i32.sub': 0x6b },
  ...{
    'i32.mul': 0x6c,
    'i32.and': 0x71,
    'i32.or': 0x72,
    'i32.xor': 0x73,
    'i32.shl': 0x74,
    'i32.shr_u': 0x76,
  },
  ...{ 'i64.clz': 0x79, 'i64.ctz': 0x7a, 'i64.add': 0x7c, 'i64.sub': 0x7d, 'i64.mul': 0x7e, 'i64.and': 0x83 },
  ...{ 'i64.or': 0x84, 'i64.xor': 0x85, 'i64.shl': 0x86, 'i64.shr_u': 0x88 },
  ...{ 'f64.neg': 0x9a, 'f64.add': 0xa0, 'f64.mul': 0xa2, 'f64.div': 0xa3 },
  ...{ 'i32.wrap_i64': 0xa7, 'i64.extend_i32_u': 0xad, 'f64.convert_i64_u': 0xba },
};

/** The same for vector instructions, whose opcodes have a prefix. */
const VECTOR: Readonly<Record<string, number>> = {
  ...{ 'i8x16.splat': 15, 'i8x16.eq': 35, 'i8x16.ne': 36, 'i8x16.lt_s': 37, 'i8x16.lt_u': 38 },
  ...{ 'i8x16.gt_u': 40, 'i8x16.le_u': 42, 'i8x16.ge_u': 44, 'v128.and': 78, 'v128.or': 80, 'v128.xor': 81 },
  ...{ 'v128.any_true': 83, 'i8x16.bitmask': 100, 'i8x16.sub': 113 },
};

/** Instructions with an offset in the memory: opcode, alignment as an exponent of two. */
const MEMORY: Readonly<Record<string, readonly [number, number]>> = {
  'i32.load': [0x28, 2],
  'i64.load': [0x29, 3],
  'f64.load': [0x2b, 3],
  'i32.load8_u': [0x2d, 0],
  'i32.store': [0x36, 2],
  'i64.store': [0x37, 3],
  'i32.store8': [0x3a, 0],
};
const VECTOR_MEMORY: Readonly<Record<string, readonly [number, number]>> = {
  'v128.load': [0, 4],
  'v128.store': [11, 4],
};

class AssemblyError extends Error {}

/** Throws AssemblyError if parentheses do not match. */
function parse(text: string): Node {
  const stack: Node[][] = [[]];
  const tokens = text.matchAll(/;;[^\n]*|"[^"]*"|[()]|[^\s()";]+/g);
  for (const { 0: token } of tokens) {
    if (token.startsWith(';;')) continue;
    if (token === '(') stack.push([]);
    else if (token === ')') {
      const done = stack.pop();
      if (done === undefined || stack.length === 0) throw new AssemblyError('A parenthesis too many.');
      stack.at(-1)?.push(done);
    } else stack.at(-1)?.push(token);
  }
  const [module] = stack[0] ?? [];
  if (stack.length !== 1 || module === undefined) throw new AssemblyError('A parenthesis is not closed.');
  return module;
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

function signed(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const isDone = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40);
    bytes.push(isDone ? low : low | 0x80);
    if (isDone) return bytes;
  }
}

const withSize = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes];
const vector = (items: readonly (readonly number[])[]): number[] => [
  ...unsigned(items.length),
  ...items.flat(),
];
const nameBytes = (quoted: Node | undefined): number[] =>
  withSize([...Buffer.from(word(quoted).slice(1, -1))]);
const section = (id: number, content: readonly number[]): number[] => [id, ...withSize(content)];

function word(node: Node | undefined): string {
  if (typeof node === 'string') return node;
  throw new AssemblyError(`Expected a word, got ${JSON.stringify(node)}.`);
}

function list(node: Node | undefined): readonly Node[] {
  if (typeof node === 'object') return node;
  throw new AssemblyError(`Expected a list, got ${JSON.stringify(node)}.`);
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new AssemblyError(`Unknown ${what}.`);
  return value;
}

const typeByte = (node: Node | undefined): number => found(VALUE_TYPES[word(node)], `type ${word(node)}`);

interface Declared {
  name: string | null;
  type: number;
}

interface Signature {
  params: Declared[];
  results: number[];
}

/** The parts of a function with this keyword, e.g. `(param $a i32)`, `(param i32 i32)`. */
function declared(parts: readonly Node[], keyword: string): Declared[] {
  return parts.flatMap((part): Declared[] => {
    if (typeof part === 'string' || part[0] !== keyword) return [];
    const [, first, ...others] = part;
    if (first === undefined) return [];
    if (word(first).startsWith('$')) return [{ name: word(first), type: typeByte(others[0]) }];
    return [first, ...others].map((each) => ({ name: null, type: typeByte(each) }));
  });
}

function signatureOf(parts: readonly Node[]): Signature {
  return { params: declared(parts, 'param'), results: declared(parts, 'result').map(({ type }) => type) };
}

/** Writes the instructions of one function. */
class Code {
  readonly #functions: ReadonlyMap<string, number>;
  readonly #locals: ReadonlyMap<string, number>;
  readonly #labels: string[] = [];
  readonly bytes: number[] = [];

  constructor(functions: ReadonlyMap<string, number>, locals: ReadonlyMap<string, number>) {
    this.#functions = functions;
    this.#locals = locals;
  }

  /** Writes an instruction after its operands. */
  write(node: Node): void {
    const [keyword, ...rest] = list(node);
    const name = word(keyword);
    if (name === 'block' || name === 'loop') this.#block(name === 'block' ? 0x02 : 0x03, rest);
    else if (name === 'if') this.#if(rest);
    else if (name in MEMORY || name in VECTOR_MEMORY) this.#memory(name, rest);
    else if (name.endsWith('.const')) this.bytes.push(...constant(name, rest));
    else if (name === 'memory.size') this.bytes.push(0x3f, 0);
    else if (name in PLAIN || name in VECTOR) {
      for (const operand of rest) this.write(operand);
      if (name in PLAIN) this.bytes.push(found(PLAIN[name], name));
      else this.bytes.push(SIMD, ...unsigned(found(VECTOR[name], name)));
    } else this.#named(name, rest);
  }

  #named(name: string, [target, ...operands]: readonly Node[]): void {
    for (const operand of operands) this.write(operand);
    const local: Readonly<Record<string, number>> = {
      'local.get': 0x20,
      'local.set': 0x21,
      'local.tee': 0x22,
    };
    const branch: Readonly<Record<string, number>> = { br: 0x0c, br_if: 0x0d };
    const to = word(target);
    if (name in local)
      this.bytes.push(found(local[name], name), ...unsigned(found(this.#locals.get(to), to)));
    else if (name === 'call') this.bytes.push(0x10, ...unsigned(found(this.#functions.get(to), to)));
    else if (name in branch) {
      const depth = this.#labels.toReversed().indexOf(to);
      if (depth < 0) throw new AssemblyError(`Unknown label ${to}.`);
      this.bytes.push(found(branch[name], name), ...unsigned(depth));
    } else throw new AssemblyError(`Unknown instruction ${name}.`);
  }

  #block(opcode: number, [label, ...body]: readonly Node[]): void {
    this.bytes.push(opcode, EMPTY_BLOCK);
    this.#labels.push(word(label));
    for (const each of body) this.write(each);
    this.#labels.pop();
    this.bytes.push(END);
  }

  /** Writes `(if (result i32)? CONDITION (then …) (else …)?)`. */
  #if(parts: readonly Node[]): void {
    const isBranch = (part: Node, keyword: string) => typeof part === 'object' && part[0] === keyword;
    const result = parts.find((part) => isBranch(part, 'result'));
    for (const part of parts)
      if (!['result', 'then', 'else'].some((keyword) => isBranch(part, keyword))) this.write(part);
    this.bytes.push(0x04, result === undefined ? EMPTY_BLOCK : typeByte(list(result)[1]));
    this.#labels.push('');
    for (const part of parts) {
      if (isBranch(part, 'else')) this.bytes.push(ELSE);
      if (isBranch(part, 'then') || isBranch(part, 'else'))
        for (const each of list(part).slice(1)) this.write(each);
    }
    this.#labels.pop();
    this.bytes.push(END);
  }

  #memory(name: string, parts: readonly Node[]): void {
    const [first] = parts;
    const hasOffset = typeof first === 'string' && first.startsWith('offset=');
    for (const operand of hasOffset ? parts.slice(1) : parts) this.write(operand);
    const offset = hasOffset ? Number(first.slice('offset='.length)) : 0;
    const simple = MEMORY[name];
    const [opcode, align] = simple ?? found(VECTOR_MEMORY[name], name);
    // Addresses are not assumed to be aligned.
    const operands = [...unsigned(Math.min(align, 0)), ...unsigned(offset)];
    this.bytes.push(...(simple === undefined ? [SIMD, ...unsigned(opcode)] : [opcode]), ...operands);
  }
}

function constant(name: string, [value]: readonly Node[]): number[] {
  const text = word(value);
  if (name === 'i32.const') return [0x41, ...signed(BigInt.asIntN(32, BigInt(text)))];
  if (name === 'i64.const') return [0x42, ...signed(BigInt.asIntN(64, BigInt(text)))];
  if (name !== 'f64.const') throw new AssemblyError(`Unknown instruction ${name}.`);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(text));
  return [0x44, ...bytes];
}

/** Returns the binary module of a text. Throws AssemblyError if the text uses anything that is not supported. */
export function assemble(text: string): Uint8Array<ArrayBuffer> {
  const [keyword, ...fields] = list(parse(text));
  if (keyword !== 'module') throw new AssemblyError('Expected a module.');
  const types: string[] = [];
  const typeOf = ({ params, results }: Signature): number => {
    const given = params.map(({ type }) => [type]);
    const bytes = [FUNCTION_TYPE, ...vector(given), ...vector(results.map((type) => [type]))];
    const known = types.indexOf(bytes.join());
    return known >= 0 ? known : types.push(bytes.join()) - 1;
  };
  const functions = new Map<string, number>();
  const imports: number[][] = [];
  const own: { signature: Signature; body: readonly Node[]; locals: Declared[]; type: number }[] = [];
  const exported: number[][] = [];
  for (const field of fields) {
    const [kind, ...parts] = list(field);
    if (kind === 'import') {
      const [module, name, what] = parts;
      const [of, ...rest] = list(what);
      const names = [...nameBytes(module), ...nameBytes(name)];
      if (of === 'memory') imports.push([...names, 0x02, 0x00, ...unsigned(Number(word(rest[0])))]);
      else {
        functions.set(word(rest[0]), functions.size);
        imports.push([...names, 0x00, ...unsigned(typeOf(signatureOf(rest)))]);
      }
      continue;
    }
    if (kind !== 'func') throw new AssemblyError(`Unknown part ${word(kind)}.`);
    const [name, ...rest] = parts;
    const index = functions.size;
    functions.set(word(name), index);
    const isHead = (part: Node) => ['export', 'param', 'result', 'local'].includes(word(list(part)[0]));
    const signature = signatureOf(rest);
    for (const part of rest) {
      const [what, as] = list(part);
      if (what === 'export') exported.push([...nameBytes(as), 0x00, ...unsigned(index)]);
    }
    const locals = declared(rest, 'local');
    own.push({ signature, locals, body: rest.filter((part) => !isHead(part)), type: typeOf(signature) });
  }
  const bodies = own.map(({ signature, locals, body }) => {
    const names = [...signature.params, ...locals].map(({ name }, at) => [name ?? String(at), at] as const);
    const code = new Code(functions, new Map(names));
    for (const each of body) code.write(each);
    return withSize([...vector(locals.map(({ type }) => [1, type])), ...code.bytes, END]);
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(types.map((each) => each.split(',').map(Number)))),
    ...section(2, vector(imports)),
    ...section(3, vector(own.map(({ type }) => unsigned(type)))),
    ...section(7, vector(exported)),
    ...section(10, vector(bodies)),
  ]);
}
