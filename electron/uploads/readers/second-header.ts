/** Recognizes the second line of names below a header, as SurveyMonkey writes the answers below the questions. Pure. */

/** The text below a question with one answer, by language. */
const ANSWER =
  /^(?:(?:open-ended )?response|réponse(?: ouverte)?|(?:offene )?antwort|respuesta(?: abierta)?|resposta(?: aberta)?|risposta(?: aperta)?|(?:open )?antwoord|(?:öppet |fritekst)?svar|odpowiedź|回答|自由回答|响应)$/i;
/** Without such a text: minimum number of columns with a name in the first line alone, and in the second alone. */
const MIN_ALONE = 2;
const DIGITS = /^[\d.,:/ -]+$/;

const isFilled = (cell: string | undefined): boolean => (cell ?? '').trim() !== '';

/**
 * Number of leading columns whose names stand in the first line alone; 0 if the second line is no line of names. All
 * further columns have a text in the second line, and a question with several answers leaves those beside it empty in
 * the first line.
 */
function ownColumns(first: readonly string[], second: readonly string[]): number {
  const own = second.findIndex(isFilled);
  const hasAll = first.length === second.length && second.slice(own).every(isFilled);
  if (own < 1 || !hasAll || !first.slice(0, own + 1).every(isFilled)) return 0;
  if (second.some((cell) => ANSWER.test(cell.trim()))) return own;
  const others = first.filter((cell) => !isFilled(cell)).length;
  const areTexts = !second.some((cell) => DIGITS.test(cell.trim()));
  return own >= MIN_ALONE && others >= MIN_ALONE && areTexts ? own : 0;
}

/** Whether two lines hold the names of the columns of the rows below. `third`: the line below; null if there is none. */
export function areLinesOfNames(
  first: readonly string[] | null | undefined,
  second: readonly string[] | null | undefined,
  third: readonly string[] | null | undefined,
): boolean {
  if (!first || !second || !third) return false;
  return third.length === first.length && isFilled(third[0]) && ownColumns(first, second) > 0;
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
