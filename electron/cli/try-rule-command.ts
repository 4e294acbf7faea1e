/** `try-rule`: prints which stored spans an evaluator rule matches, and what its inputs would be. Sends nothing. */
import { AppError } from '../shared/errors.ts';
import {
  draftOfRule,
  dryRunSentences,
  type RuleDraft,
  type RuleDryRun,
  ruleProblem,
} from '../shared/rule-dry-run.ts';
import type { CommandContext } from './context.ts';
import { numberText } from './human-text.ts';
import { readBodyObject } from './json-argument.ts';
import { resolveName } from './names.ts';
import { table } from './output.ts';
import { readList } from './read-library.ts';

const SHOWN_ROWS = 5;

export async function tryRule(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const [given, ...others] = args.positionals;
  const body = await readBodyObject(context);
  if ((given === undefined) === (body === null) || others.length > 0)
    throw new AppError('INVALID_ARGUMENT', 'try-rule expects either one RULE, or --body with a rule.');
  const problem = body === null ? null : ruleProblem(body);
  if (problem !== null) throw new AppError('INVALID_ARGUMENT', `--body: ${problem}.`);
  const draft = body === null ? await storedDraft(context, given ?? '') : draftOf(body, '--body');
  const session = await context.session();
  const run = await session.dryRunRule(draft);
  const { rows, ...rest } = run;
  const items = rows.map(({ inputs, ...row }) => ({
    ...row,
    inputs: Object.fromEntries(inputs.map((text, at) => [run.inputs[at]?.name ?? '', text])),
  }));
  const answer = { ...rest, sentences: dryRunSentences(run), items, total: run.matching };
  output.answer({ ...answer, complete: !run.isCut && rows.length === run.matching, asOf: null }, () =>
    linesOf(run),
  );
}

async function storedDraft(context: CommandContext, given: string): Promise<RuleDraft> {
  const id = await resolveName(context, 'evaluator-rules.list', given, { mayBeId: true });
  const query = { operation: 'evaluator-rules.list', path: {}, query: {} };
  const { rows } = await readList(context, query, Number.POSITIVE_INFINITY);
  const found = rows.find(({ record }) => record['id'] === id);
  if (found === undefined)
    throw new AppError('NOT_FOUND', `No evaluator rule with the id ${id}; ls evaluator-rules lists them.`);
  return draftOf(found.record, `The rule ${given}`);
}

function draftOf(record: Record<string, unknown>, what: string): RuleDraft {
  const draft = draftOfRule(record);
  if (draft !== null) return draft;
  throw new AppError('INVALID_ARGUMENT', `${what} names no application: expected application_id, an id.`);
}

function linesOf(run: RuleDryRun): string[] {
  const inputs = run.inputs.map(({ name, path, foundAs, missing }) => ({
    input: name,
    path,
    'found as': foundAs.join(', ') || '–',
    missing: numberText(missing),
  }));
  const spans = run.rows.slice(0, SHOWN_ROWS).map((row) => ({
    span: row.spanId,
    name: row.name,
    ...Object.fromEntries(run.inputs.map(({ name }, at) => [name, row.inputs[at] ?? '–'])),
  }));
  return [
    ...dryRunSentences(run),
    ...(inputs.length === 0 || run.matching === 0
      ? []
      : ['', ...table(inputs, ['input', 'path', 'found as', 'missing']).split('\n')]),
    ...(spans.length === 0
      ? []
      : ['', ...table(spans, ['span', 'name', ...run.inputs.map(({ name }) => name)]).split('\n')]),
  ];
}
