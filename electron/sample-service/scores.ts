/**
 * The built-in evaluators of SERVICE.md F3.4 in a simple form, with shared words, lengths and word lists. Their scores
 * are stable and explainable samples that do not judge quality, which their reasoning says.
 */
interface SampleScore {
  name: string;
  value: number | null;
  label: string | null;
  reasoning: string;
}

export type ScoreInputs = Readonly<Record<string, string>>;

interface Evaluation {
  title: string;
  /** Keys of the inputs that the evaluator uses. */
  inputs: readonly string[];
  outputs: readonly string[];
  score(inputs: ScoreInputs): SampleScore[];
}

const STOP_WORDS = new Set(
  'a an and are as at be by do for from in is it of on or the this to was what with you your'.split(' '),
);
const POSITIVE = new Set(
  'good great thanks thank happy glad perfect excellent helpful resolved love quick'.split(' '),
);
const NEGATIVE = new Set(
  'bad angry late broken wrong refused sorry terrible hate slow lost damaged unhappy'.split(' '),
);
const TOXIC = new Set('idiot stupid hate kill shut moron trash damn'.split(' '));

const TOPICS: Readonly<Record<string, readonly string[]>> = {
  billing: ['invoice', 'charge', 'refund', 'payment', 'price', 'amount', 'fee'],
  delivery: ['order', 'parcel', 'shipping', 'delivery', 'arrive', 'track'],
  claims: ['claim', 'damage', 'accident', 'policy', 'photo', 'report'],
  account: ['account', 'password', 'login', 'address', 'email'],
};

const RISKS: Readonly<Record<string, readonly string[]>> = {
  illegal: ['steal', 'fraud', 'forge', 'launder'],
  hateful: ['hate', 'despise'],
  harassing: ['stalk', 'harass', 'threaten'],
  racist: ['racist', 'slur'],
  sexist: ['sexist'],
  violent: ['kill', 'attack', 'weapon', 'hurt'],
  sexual: ['explicit', 'nude'],
  harmful: ['poison', 'overdose', 'self-harm'],
  unethical: ['cheat', 'deceive', 'blackmail'],
  jailbreaking: ['ignore', 'pretend', 'jailbreak', 'bypass', 'instructions'],
};

function words(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
}

const round = (value: number): number => Number(value.toFixed(4));

/** Share of the words of `part` that occur in `whole`; 0 if `part` has no words. */
function overlap(part: string, whole: string): number {
  const [inner, outer] = [words(part), new Set(words(whole))];
  return inner.length === 0 ? 0 : inner.filter((word) => outer.has(word)).length / inner.length;
}

function countIn(text: string, list: ReadonlySet<string> | readonly string[]): number {
  const wanted = new Set(list);
  return words(text).filter((word) => wanted.has(word)).length;
}

/** A score that increases with the count and stays below 1. */
const saturating = (count: number, base = 0.01): number => round(1 - (1 - base) * 0.35 ** count);

function verdict(name: string, isTrue: boolean, reason: string): SampleScore {
  return { name, value: isTrue ? 1 : 0, label: isTrue ? 'yes' : 'no', reasoning: `Sample score: ${reason}` };
}

function probability(name: string, value: number, reason: string): SampleScore {
  return { name, value: round(value), label: null, reasoning: `Sample score: ${reason}` };
}

const response = (inputs: ScoreInputs): string => inputs['response'] ?? inputs['text'] ?? '';
const prompt = (inputs: ScoreInputs): string =>
  inputs['prompt'] ?? inputs['user_query'] ?? inputs['text'] ?? '';
const context = (inputs: ScoreInputs): string => inputs['context'] ?? inputs['retrieved_documents'] ?? '';

function sentiment(inputs: ScoreInputs): SampleScore[] {
  const text = response(inputs) || prompt(inputs);
  const balance = countIn(text, POSITIVE) - countIn(text, NEGATIVE);
  const label = balance > 0 ? 'positive' : balance < 0 ? 'negative' : 'neutral';
  const reason = `${countIn(text, POSITIVE)} friendly and ${countIn(text, NEGATIVE)} unfriendly words.`;
  return [
    { name: 'sentiment', value: null, label, reasoning: `Sample score: ${reason}` },
    probability('sentiment_prob', balance === 0 ? 0.5 : saturating(Math.abs(balance), 0.5), reason),
  ];
}

function topic(inputs: ScoreInputs): SampleScore[] {
  const text = response(inputs) || prompt(inputs);
  const counts = Object.entries(TOPICS).map(([name, list]) => ({ name, count: countIn(text, list) }));
  const top = counts.reduce((a, b) => (b.count > a.count ? b : a), { name: 'other', count: 0 });
  const reason = `${top.count} words of its list stand in the text.`;
  return [
    { name: 'top_topic', value: null, label: top.name, reasoning: `Sample score: ${reason}` },
    probability('top_topic_prob', top.count === 0 ? 0.25 : saturating(top.count, 0.3), reason),
  ];
}

function safety(inputs: ScoreInputs): SampleScore[] {
  const text = prompt(inputs) || response(inputs);
  const scores = Object.entries(RISKS).map(([risk, list]) => {
    const count = countIn(text, list);
    return probability(`${risk}_prob`, saturating(count), `${count} words of its list stand in the text.`);
  });
  const most = Math.max(...scores.map((score) => score.value ?? 0));
  return [...scores, probability('max_risk_prob', most, 'the highest of the other scores.')];
}

export const EVALUATIONS: Readonly<Record<string, Evaluation>> = {
  answer_relevance: {
    title: 'Answer relevance',
    inputs: ['prompt', 'response'],
    outputs: ['is_answer_relevant'],
    score: (inputs) => {
      const share = overlap(prompt(inputs), response(inputs));
      const reason = `${Math.round(share * 100)} % of the words of the prompt come back in the response.`;
      return [verdict('is_answer_relevant', share >= 0.2, reason)];
    },
  },
  coherence: {
    title: 'Coherence',
    inputs: ['response'],
    outputs: ['is_coherent'],
    score: (inputs) => {
      const sentences = response(inputs)
        .split(/[.!?]+/)
        .filter((part) => words(part).length > 0);
      const isCoherent = sentences.length > 0 && sentences.every((part) => words(part).length <= 40);
      return [
        verdict('is_coherent', isCoherent, `${sentences.length} sentences, none may be over 40 words.`),
      ];
    },
  },
  conciseness: {
    title: 'Conciseness',
    inputs: ['response'],
    outputs: ['is_concise'],
    score: (inputs) => {
      const count = words(response(inputs)).length;
      return [verdict('is_concise', count > 0 && count <= 60, `${count} words; up to 60 count as concise.`)];
    },
  },
  toxicity: {
    title: 'Toxicity',
    inputs: ['response'],
    outputs: ['toxicity_prob'],
    score: (inputs) => {
      const count = countIn(response(inputs) || prompt(inputs), TOXIC);
      return [probability('toxicity_prob', saturating(count), `${count} rude words.`)];
    },
  },
  sentiment_analysis: {
    title: 'Sentiment',
    inputs: ['text'],
    outputs: ['sentiment', 'sentiment_prob'],
    score: sentiment,
  },
  topic_classification: {
    title: 'Topic',
    inputs: ['text'],
    outputs: ['top_topic', 'top_topic_prob'],
    score: topic,
  },
  ftl_prompt_safety: {
    title: 'Prompt safety',
    inputs: ['prompt'],
    outputs: [...Object.keys(RISKS).map((risk) => `${risk}_prob`), 'max_risk_prob'],
    score: safety,
  },
  ftl_response_faithfulness: {
    title: 'Response faithfulness',
    inputs: ['response', 'context'],
    outputs: ['faithful_prob'],
    score: (inputs) => {
      const share = overlap(response(inputs), context(inputs));
      const reason = `${Math.round(share * 100)} % of the words of the response stand in the context.`;
      return [probability('faithful_prob', share, reason)];
    },
  },
};
