/** `gate BEFORE AFTER --fail-if RULE`: its exit code says whether a release may continue. */
import { resolve } from 'node:path';
import {
  decideGate,
  type GateResult,
  gateRuleProblem,
  parseGateRule,
  wholeGate,
} from '../core/statistics/gate.ts';
import { AppError, type ErrorCode } from '../shared/errors.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import type { CommandContext } from './context.ts';
import {
  checkText,
  type GateAnswer,
  type GateCheck,
  gateJunit,
  gateMarkdown,
  resultWords,
} from './gate-report.ts';
import { type GateScore, gateScores } from './gate-sources.ts';
import { quotedForShell } from './terminal-text.ts';

const SURE = '95';

const CODES: Readonly<Record<Exclude<GateResult, 'passed'>, ErrorCode>> = {
  failed: 'GATE_FAILED',
  unsure: 'GATE_UNSURE',
  empty: 'GATE_EMPTY',
};

export async function gate(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const [before, after] = args.positionals;
  if (before === undefined || after === undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      'gate expects BEFORE AFTER: two score runs, two experiments, or two files of scores.',
    );
  const sure = args.text('sure') ?? SURE;
  if (sure.replace(/ *%$/, '') !== SURE)
    throw new AppError(
      'INVALID_ARGUMENT',
      `--sure expects ${SURE}, the level of every interval, got ${sure}.`,
    );
  const rules = args.texts('fail-if').map((typed) => ({ typed: typed.trim(), rule: ruleOf(typed) }));
  if (rules.length === 0)
    throw new AppError('INVALID_ARGUMENT', 'gate expects --fail-if, such as "worse > 2 %".');
  const lowerIsBetter = args.flag('lower-is-better');
  const scores = await gateScores(context, [before, after], { names: args.texts('score'), lowerIsBetter });
  for (const { name, figures } of scores)
    for (const { typed, rule } of rules) {
      const problem = gateRuleProblem(rule, figures?.kind ?? null);
      if (problem !== null)
        throw new AppError('INVALID_ARGUMENT', `--fail-if "${typed}" does not fit ${name}: ${problem}.`);
    }
  const checks = scores.flatMap((score) =>
    rules.map(
      ({ typed, rule }): GateCheck => ({
        score: score.name,
        rule: typed,
        parsed: rule,
        isShare: score.figures?.kind === 'share',
        hasLabels: score.figures === null && score.counts.changed + score.counts.same > 0,
        decision: decideGate(rule, { ...factsOf(score), lowerIsBetter }),
      }),
    ),
  );
  const result = wholeGate(checks.map(({ decision }) => decision.result));
  const answer: GateAnswer = { before, after, result, checks };
  await write(args.text('junit'), () => gateJunit(answer));
  await write(args.text('markdown'), () => gateMarkdown(answer));
  const items = checks.map(({ score, rule, decision }) => ({ score, rule, ...decision }));
  output.answer({ result, before, after, items, total: items.length, complete: true, asOf: null }, () => [
    ...checks.map(checkText),
    `Gate: ${resultWords(result)}.`,
  ]);
  if (result === 'passed') return;
  const first = checks.find(({ decision }) => decision.result === result);
  const judged = result === 'empty' ? judgedScores(checks) : [];
  throw new AppError(
    CODES[result],
    first === undefined ? 'The two sides have no score in common.' : checkText(first),
    judged.length === 0
      ? {}
      : {
          nextStep: `Name the scores that count: ${judged.map((name) => `--score ${quotedForShell(name)}`).join(' ')}`,
        },
  );
}

/** Names of scores for which all rules could be decided. */
function judgedScores(checks: readonly GateCheck[]): string[] {
  const empty = new Set(
    checks.flatMap(({ score, decision }) => (decision.result === 'empty' ? [score] : [])),
  );
  return [...new Set(checks.map(({ score }) => score))].filter((score) => !empty.has(score));
}

function ruleOf(typed: string) {
  const rule = parseGateRule(typed);
  if (rule !== null) return rule;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--fail-if expects "worse > 2 %", "below 90 %", "above 0.4" or "missing > 5 %", got ${typed}.`,
  );
}

function factsOf({ figures, counts }: GateScore) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { figures, missing: counts.missing, all };
}

async function write(path: string | null, text: () => string): Promise<void> {
  if (path !== null) await writeWhole(resolve(path), [text()]);
}
