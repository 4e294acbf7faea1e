/** Finds the parts of a JSON schema that a check ignores. Pure. */
import { formatTest } from './json-schema-formats.ts';
import { isSchemaObject, schemaPart } from './json-schema-reference.ts';

/** Keywords of JSON schemas that are remarks; `nullable` only adds to the accepted values. */
const REMARKS = new Set([
  ...['$schema', '$id', '$comment', '$anchor', '$defs', '$vocabulary', '$dynamicAnchor', '$recursiveAnchor'],
  ...['definitions', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', 'nullable'],
]);
/** Keywords of the standard that no check supports: a schema with one is refused. */
export const UNSUPPORTED_KEYWORDS = [
  ...['$dynamicRef', '$recursiveRef', 'unevaluatedProperties', 'unevaluatedItems', 'dependentSchemas'],
  'dependencies',
];
const RULES = new Set([
  ...['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'format', 'items', 'prefixItems', 'additionalItems', 'minItems'],
  ...['maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'properties', 'required'],
  ...['patternProperties', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties'],
  ...['dependentRequired', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', '$ref'],
  ...UNSUPPORTED_KEYWORDS,
]);

/** Keywords with schemas by name, with lists of schemas, and with one schema. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const SINGLE = [
  ...['items', 'additionalItems', 'not', 'if', 'then', 'else', 'additionalProperties', 'contains'],
  'propertyNames',
];
/** Maximum number of names in a sentence. */
const MAX_NAMED = 5;

type Schema = Readonly<Record<string, unknown>>;

/** A sentence about a schema without rules, or about keywords and formats that are not checked; null otherwise. */
export function schemaNote(schema: Schema): string | null {
  const [keywords, formats] = [new Set<string>(), new Set<string>()];
  const targets = new Set<string>();
  for (const part of partsOf(schema)) {
    for (const keyword of Object.keys(part))
      if (!REMARKS.has(keyword) && !RULES.has(keyword)) keywords.add(keyword);
    const { format, $ref } = part;
    if (typeof format === 'string' && formatTest(format) === null) formats.add(format);
    if (typeof $ref === 'string') targets.add($ref.split('/')[1] ?? '');
  }
  // A place that references lead to holds schemas, such as `components`.
  const unknown = [...keywords].filter((keyword) => !targets.has(keyword));
  const sentences = [
    hasRule(schema) ? '' : 'This schema has no rule: every text that is JSON passes.',
    unknown.length === 0 ? '' : `Not checked, because they are not known as keywords: ${listed(unknown)}.`,
    formats.size === 0
      ? ''
      : `Not checked: the format${formats.size === 1 ? '' : 's'} ${listed([...formats])}.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ') || null;
}

const hasRule = (schema: Schema): boolean =>
  Object.keys(schema).some(
    (keyword) => RULES.has(keyword) && (keyword !== 'format' || formatTest(String(schema[keyword])) !== null),
  );

/** The schema, and all schemas in it or at its references. */
function partsOf(schema: Schema): Schema[] {
  const found = new Set<Schema>([schema]);
  for (const part of found) {
    const inner: unknown[] = SINGLE.map((keyword) => part[keyword]);
    for (const keyword of LISTS) {
      const list = part[keyword];
      if (Array.isArray(list)) inner.push(...(list as unknown[]));
    }
    for (const keyword of MAPS) {
      const map = part[keyword];
      if (isSchemaObject(map)) inner.push(...Object.values(map));
    }
    const { $ref } = part;
    if (typeof $ref === 'string') inner.push(schemaPart(schema, $ref));
    for (const each of inner) if (isSchemaObject(each)) found.add(each);
  }
  return [...found];
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ' …' : ''}`;
}
