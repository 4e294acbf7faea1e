/** Schemas are built at their first use, and then check exactly what schemas of Zod check. */
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import * as zod from 'zod';
import * as lazy from '../../electron/shared/zod.ts';
import { importsOf, loadedWith, sourceFiles } from '../helpers/module-graph.ts';

const LAZY = 'electron/shared/zod.ts';

/** Returns how many schemas Zod builds during this work. */
async function builtDuring(work: () => unknown): Promise<number> {
  let built = 0;
  const { postProcessor } = zod.config();
  zod.config({
    postProcessor: () => {
      built += 1;
    },
  });
  try {
    await work();
  } finally {
    zod.config({ postProcessor });
  }
  return built;
}

test('loading the engine and the commands builds no schema', async () => {
  const built = await builtDuring(async () => {
    await import('../../electron/cli/main.ts');
    await import('../../electron/cli/context.ts');
    await import('../../electron/cli/read-commands.ts');
  });
  expect(built).toBe(0);
});

test('a definition builds nothing; its first use builds it once, with the schemas in it', async () => {
  const name = lazy.string().min(1).nullable();
  const row = lazy.strictObject({ name, ...lazy.object({ size: lazy.int() }).shape });
  const define = () => [row.extend({ at: lazy.number() }), lazy.array(row).max(2), row.shape.name.optional()];
  expect(await builtDuring(define)).toBe(0);
  expect(await builtDuring(() => row.parse({ name: 'a', size: 1 }))).toBeGreaterThan(3);
  expect(await builtDuring(() => [row.parse({ name: null, size: 2 }), name.parse('b')])).toBe(0);
});

test('the first checks of a schema compile nothing, and check the same as the later ones', () => {
  const row = lazy.object({ id: lazy.string(), size: lazy.int().optional(), inside: lazy.strictObject({}) });
  const values = [
    { id: 'a', inside: {} },
    { id: 'b', size: 1.5, inside: { more: 1 } },
  ];
  const compiled: string[] = [];
  class Counting extends Function {
    constructor(...parts: string[]) {
      super(...parts);
      compiled.push(parts.at(-1) ?? '');
    }
  }
  vi.stubGlobal('Function', Counting);
  try {
    const check = () => values.map((value) => row.safeParse(value));
    const first = check();
    expect([first.map(({ success }) => success), compiled]).toEqual([[true, false], []]);
    const later = [check(), check(), check()];
    expect(compiled.length).toBeGreaterThan(0);
    for (const each of later) expect(JSON.stringify(each)).toBe(JSON.stringify(first));
  } finally {
    vi.unstubAllGlobals();
  }
});

/** Answers, issues and JSON schemas of every kind of schema that the product uses, built by the given module. */
function results(z: typeof lazy | typeof zod): unknown {
  const place = z.strictObject({ line: z.int().min(0).max(9), note: z.string().trim().max(3).default('-') });
  const kinds = z.enum(['a', 'b']).nullish();
  const known = z.looseObject({ id: z.uuid().optional(), places: z.array(place).max(2), kinds });
  const choice = z.discriminatedUnion('form', [
    z.strictObject({ form: z.literal('one'), ...place.shape }),
    place.extend({ form: z.literal('two'), at: z.tuple([z.int(), z.string().nullable()]) }),
    place.omit({ note: true }).extend({ form: z.literal('three') }),
  ]);
  const json = z
    .string()
    .transform((text, context): unknown => {
      if (text.startsWith('{')) return JSON.parse(text);
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    })
    .pipe(known.partial());
  const tree = z.object({
    name: z.string().catch('?'),
    get below() {
      return z.array(tree).optional();
    },
  });
  const schemas = [
    ...[place, known, choice, json, tree, kinds, known.shape.places.unwrap(), known.shape.kinds],
    z
      .record(z.string().regex(/^k/), z.union([z.number(), z.boolean()]))
      .refine((all) => !('kx' in all), 'kx'),
    z.preprocess((value) => (value === 'none' ? null : value), z.coerce.number().nullable()),
  ];
  const values: unknown[] = [
    ...[null, undefined, 'a', 'c', 'none', '7', 3.5, [], {}, { k1: 1, k2: true }, { kx: 1 }, { k: 'x' }],
    ...[{ line: 3 }, { line: 30, note: 'long' }, { line: 1, other: 1 }, [{ line: 2, note: ' ab ' }, {}, {}]],
    ...[
      { places: [{ line: 1 }], extra: 5 },
      { form: 'one', line: 1 },
      { form: 'two', line: 1, at: [1, null] },
    ],
    ...[{ form: 'two', line: 1, at: [1] }, { form: 'three', line: 1, note: 'x' }, { form: 'four' }],
    ...[
      '{"id":"x"}',
      '{"places":[{"line":4}]}',
      { name: 1, below: [{ name: 'b', below: [{}] }, { below: 2 }] },
    ],
  ];
  return schemas.map((schema) => ({
    isObject: schema instanceof z.ZodObject,
    inJson: attempt(() => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })),
    answers: values.map((value) => {
      const { success, data, error } = schema.safeParse(value);
      return { success, data, issues: error?.issues };
    }),
  }));
}

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return String(thrown);
  }
}

test('every answer, issue and JSON schema is that of Zod', () => {
  const [ours, theirs] = [JSON.stringify(results(lazy), null, 1), JSON.stringify(results(zod), null, 1)];
  expect(ours).toBe(theirs);
  expect(theirs).toContain('"success": true');
});

test('a definition that Zod refuses is refused at each use', () => {
  const refused = lazy
    .object({ a: lazy.int(), b: lazy.int() })
    .refine(({ a, b }) => a < b)
    .omit({ b: true });
  for (let turn = 0; turn < 2; turn += 1) expect(() => refused.safeParse({ a: 1 })).toThrow('refinements');
});

test('Zod refuses no definition of a module', async () => {
  const modules = sourceFiles('electron').filter((file) => {
    const usesSchemas = importsOf(file).some(({ target, isTypeOnly }) => target === LAZY && !isTypeOnly);
    // These modules run scripts of threads and processes when they are loaded, or need Electron.
    return (
      usesSchemas && !/-(?:worker|process)\.ts$|\/serve\.ts$/.test(file) && !loadedWith(file).has('electron')
    );
  });
  vi.resetModules();
  vi.doMock('../../electron/shared/zod.ts', () => vi.importActual('zod'));
  const built = await builtDuring(async () => {
    for (const file of modules) await import(join(import.meta.dirname, '../..', file));
  });
  expect(built).toBeGreaterThan(5_000);
});
