/** Fields of the bodies and records of operations, derived from their schemas. Pure. */
import { endpoint, isOperationId, type OperationId } from '../api/endpoints.ts';
import * as z from '../shared/zod.ts';

interface BodyField {
  name: string;
  /** `ids`: the records that a deletion names; `json`: given as JSON text. */
  kind: 'text' | 'number' | 'json' | 'ids';
  isRequired: boolean;
  /** Maximum number of `ids`, if the schema has one. */
  most: number | null;
}

const property = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  items: z.looseObject({ type: z.string().optional() }).optional(),
  maxItems: z.number().optional(),
});
const objectSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), property),
  required: z.array(z.string()).optional(),
});

/** Page parameters in bodies, which the library sets. */
const PAGING = new Set(['page_size', 'offset']);

/** Fields of an operation's body; empty for a body with several possible shapes. */
export function bodyFields(operation: OperationId): BodyField[] {
  const { body } = endpoint(operation);
  if (body === null) return [];
  const schema = objectSchema.safeParse(z.toJSONSchema(body, { unrepresentable: 'any' }));
  if (!schema.success) return [];
  const { properties, required } = schema.data;
  return Object.entries(properties)
    .filter(([name]) => !PAGING.has(name))
    .map(([name, part]) => ({
      name,
      kind: kindOf(name, part),
      isRequired: required?.includes(name) ?? false,
      most: part.maxItems ?? null,
    }));
}

/** Top-level fields that records of an operation may have; empty if any are possible. */
export function recordFields(operation: string): string[] {
  if (!isOperationId(operation)) return [];
  const schema = objectSchema.safeParse(
    z.toJSONSchema(endpoint(operation).item, { unrepresentable: 'any', io: 'input' }),
  );
  return schema.success ? Object.keys(schema.data.properties) : [];
}

function kindOf(name: string, { type, items }: z.infer<typeof property>): BodyField['kind'] {
  const types = [type ?? []].flat();
  if (types.includes('array') && items?.type === 'string' && name.endsWith('_ids')) return 'ids';
  if (types.includes('string')) return 'text';
  return types.includes('number') || types.includes('integer') ? 'number' : 'json';
}
