/** Recognizes the second line of names below a header, as SurveyMonkey writes the answers below the questions. Pure. */

/** The text below a question with one answer, by language. */
const ANSWER =
  /^(?:(?:open-ended )?response|réponse(?: ouverte)?|(?:offene )?antwort|respuesta(?: abierta)?|resposta(?: aberta)?|risposta(?: aperta)?|(?:open )?antwoord|(?:öppet |fritekst)?svar|odpowiedź|回答|自由回答|响应)$/i;
/** Minimum number of columns with a name in the first line alone, with an answer, or without a question of their own. */
const MIN_EVIDENCE = 3;
/** Without such a text: minimum number of columns with a name in the first line alone, and in the second alone. */
const MIN_ALONE = 2;
const DIGITS = /^[\d.,:/ -]+$/;

const isFilled = (cell: string | undefined): boolean => (cell ?? '').trim() !== '';

const isAnswer = (cell: string | undefined): boolean => ANSWER.test((cell ?? '').trim());

/** Whether two lines hold the names of the columns of the rows below. `third`: the line below; null if there is none. */
export function areLinesOfNames(
  first: readonly string[] | null | undefined,
  second: readonly string[] | null | undefined,
  third: readonly string[] | null | undefined,
): boolean {
  if (!first || !second || !third || third.length !== first.length || !isFilled(third[0])) return false;
  // The names of the leading columns stand in the first line alone. All further columns have a text in the second line,
  // and a question with several answers leaves those beside it empty in the first line.
  const own = second.findIndex(isFilled);
  const hasAll = first.length === second.length && second.slice(own).every(isFilled);
  if (own < 1 || !hasAll || !first.slice(0, own + 1).every(isFilled)) return false;
  const others = first.filter((cell) => !isFilled(cell)).length;
  if (hasAnswers(second) && areAnswers({ first, second, third }, own, others)) return true;
  return own >= MIN_ALONE && others >= MIN_ALONE && !second.some((cell) => DIGITS.test(cell.trim()));
}

/** Whether the second line of names has the text that SurveyMonkey writes below a question with one answer. */
export const hasAnswers = (second: readonly string[]): boolean => second.some(isAnswer);

/**
 * Whether the texts of the second line are answers to the questions above them, and not values of a row: each question
 * with one column has such a text, and the row below does not repeat it.
 */
function areAnswers(
  { first, second, third }: Record<'first' | 'second' | 'third', readonly string[]>,
  own: number,
  others: number,
): boolean {
  const hasOneColumn = (at: number): boolean =>
    isFilled(first[at]) && (at === first.length - 1 || isFilled(first[at + 1]));
  const areAll = second.every((cell, at) => at < own || !hasOneColumn(at) || isAnswer(cell));
  const isRepeated = third.some((cell, at) => isAnswer(cell) && isAnswer(second[at]));
  return areAll && !isRepeated && own + second.filter(isAnswer).length + others >= MIN_EVIDENCE;
}

/** The names of both lines: `What do you use? Reports`. An answer alone adds nothing to its question. */
export function joinedNames(first: readonly string[], second: readonly string[]): string[] {
  let question = '';
  return first.map((cell, at) => {
    if (isFilled(cell)) question = cell.trim();
    const answer = (second[at] ?? '').trim();
    return answer === '' || ANSWER.test(answer) ? question : `${question} ${answer}`;
  });
}
