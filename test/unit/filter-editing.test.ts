import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../electron/shared/filter-tree.ts';
import { countRules, depthOf, findProblems, readDraft, writeDraft } from '../../renderer/lib/filter/draft.ts';
import {
  dissolveGroup,
  duplicateNode,
  findNode,
  guessType,
  liftNode,
  moveNode,
  parentOf,
  removeNode,
  withOperator,
  withValue,
  wrapNode,
} from '../../renderer/lib/filter/edit.ts';
import { fieldsOfRows, fieldTitle, mergeFields, nameOfValue } from '../../renderer/lib/filter/fields.ts';
import { type FilterLanguage, LIST_FILTERS, SPAN_FILTERS } from '../../renderer/lib/filter/language.ts';
import { filterChips, filterWords } from '../../renderer/lib/filter/words.ts';

const ids = () => {
  let last = 0;
  return () => ++last;
};

const NESTED = {
  condition: 'AND',
  rules: [
    { field: 'a', operator: 'equal', value: 'x' },
    { condition: 'OR', rules: [{ field: 'b', operator: 'greater', value: 2 }] },
    { field: 'c', operator: 'is_null' },
  ],
};

function read(tree: object, language: FilterLanguage = LIST_FILTERS) {
  return readDraft(JSON.parse(JSON.stringify(tree)), language, ids());
}

describe('editing of a filter', () => {
  const root = read(NESTED);
  const idOf = (field: string) => {
    const visit = (node: (typeof root)['rules'][number]): number | null =>
      node.kind === 'rule'
        ? node.field === field
          ? node.id
          : null
        : (node.rules.map(visit).find((id) => id !== null) ?? null);
    return visit(root) ?? -1;
  };
  const words = (tree: typeof root) =>
    filterWords(parseFilter(JSON.stringify(writeDraft(tree, LIST_FILTERS))));

  it('removing the last rule of a group removes the group', () => {
    expect(words(removeNode(root, idOf('b')))).toBe('a is x and c has no value');
  });

  it('groups, moves a rule out of its group and dissolves a group', () => {
    const newId = () => 1_000;
    const wrapped = wrapNode(root, idOf('a'), newId);
    expect(depthOf(wrapped)).toBe(2);
    expect(parentOf(wrapped, idOf('a'))?.group.id).toBe(1_000);
    expect(words(liftNode(wrapped, idOf('a')))).toBe(words(root));
    expect(words(liftNode(root, idOf('b')))).toBe('a is x and b is more than 2 and c has no value');
    expect(words(dissolveGroup(wrapped, 1_000))).toBe(words(root));
    expect(wrapNode(root, root.id, newId)).toBe(root);
  });

  it('moving stops at the ends; a copy has ids of its own', () => {
    expect(words(moveNode(root, idOf('c'), -1))).toBe('a is x and c has no value and b is more than 2');
    expect(moveNode(root, idOf('a'), -1)).toBe(root);
    const newId = ids();
    const copied = duplicateNode(root, idOf('a'), () => 500 + newId());
    expect(countRules(copied)).toBe(4);
    expect(findNode(copied, 501)).toMatchObject({ field: 'a' });
  });

  it('another operator keeps the compatible values', () => {
    const [first] = root.rules;
    if (first?.kind !== 'rule') throw new Error('Expected a rule.');
    const pair = withOperator(first, 'between');
    expect(writeDraft(pair, LIST_FILTERS)['value']).toEqual(['x', null]);
    expect(writeDraft(withOperator(pair, 'is_empty'), LIST_FILTERS)).not.toHaveProperty('value');
    expect(writeDraft(withOperator(withOperator(first, 'is_empty'), 'equal'), LIST_FILTERS)['value']).toBe(
      'x',
    );
  });

  it('says what an unfinished rule lacks', () => {
    const [first] = root.rules;
    if (first?.kind !== 'rule') throw new Error('Expected a rule.');
    const lack = (changed: typeof first) =>
      findProblems({ ...root, rules: [changed] }, LIST_FILTERS).get(first.id);
    expect(lack({ ...first, field: ' ' })).toBe('Choose a field.');
    expect(lack(withValue(first, 0, null))).toBe('Enter a value.');
    expect(lack(withOperator(withValue(first, 0, null), 'in'))).toBe('Add at least one value.');
    expect(lack(withOperator(first, 'between'))).toBe('Enter both bounds.');
    expect(lack(withValue(first, 0, { text: 'many', type: 'number' }))).toBe('“many” is not a number.');
    expect(lack(withValue(first, 0, { text: '', type: 'text' }))).toBeUndefined();
  });

  it('typed digits are a number if the field or the operator requires one', () => {
    expect(guessType('12', 'equal', 'text')).toBe('text');
    expect(guessType('12', 'equal', null)).toBe('text');
    expect(guessType('12', 'less', null)).toBe('number');
    expect(guessType('12', 'equal', 'number')).toBe('number');
    expect(guessType('true', 'equal', 'boolean')).toBe('boolean');
    expect(guessType('', 'less', null)).toBe('text');
  });
});

describe('words and fields', () => {
  it('chips are the parts that can be removed one by one', () => {
    expect(filterChips(parseFilter(JSON.stringify(NESTED))).map(({ text }) => text)).toEqual([
      'a is x',
      'b is more than 2',
      'c has no value',
    ]);
    expect(filterChips(parseFilter(JSON.stringify({ ...NESTED, condition: 'OR' })))).toEqual([
      { index: null, text: 'a is x or b is more than 2 or c has no value' },
    ]);
  });

  it('a field of spans that no loaded row has is named without the prefix of the service', () => {
    expect(fieldTitle([], 'SpanAttribute::app.final_country', SPAN_FILTERS)).toBe('app.final_country');
    expect(fieldTitle([], 'Span::kind', SPAN_FILTERS)).toBe('kind');
    expect(fieldTitle([], 'Span::kind', LIST_FILTERS)).toBe('Span::kind');
  });

  it('offers fields of rows, and references by id under their name', () => {
    const rows = [
      { id: '1', name: 'n1', active: true, row_count: 4, type: 'A', project: { id: 'p1', name: 'Lending' } },
      { id: '2', name: 'n2', active: false, row_count: 5, type: 'A', project: { id: 'p1', name: 'Lending' } },
    ];
    const fields = mergeFields([{ name: 'name', type: 'text', note: 'text' }], fieldsOfRows(rows));
    expect(fields.map(({ name, type }) => `${name}:${type}`)).toEqual([
      'name:text',
      'id:text',
      'active:boolean',
      'row_count:number',
      'type:text',
      'project_id:text',
    ]);
    expect(nameOfValue(fields, 'project_id', 'p1')).toBe('Lending');
    expect(fields.find(({ name }) => name === 'type')?.values).toEqual([{ value: 'A' }]);
    expect(fields.find(({ name }) => name === 'name')?.values).toBeUndefined();
  });
});
