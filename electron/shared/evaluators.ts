/**
 * The built-in evaluators in practical use (SERVICE.md F3.4). A service may have others: any name can be typed, and what
 * stands here is an offer, not a limit.
 */
interface BuiltInEvaluator {
  name: string;
  title: string;
  /** Usual input keys. */
  inputs: readonly string[];
  /** Names of the scores it answers with. */
  scores: readonly string[];
  /** Parameters it needs: names configured in the service's LLM gateway. */
  parameters: readonly string[];
}

const BY_MODEL = ['model', 'credential'] as const;

export const BUILT_IN_EVALUATORS: readonly BuiltInEvaluator[] = [
  {
    name: 'answer_relevance',
    title: 'Answer relevance',
    inputs: ['prompt', 'response'],
    scores: ['is_answer_relevant'],
    parameters: BY_MODEL,
  },
  {
    name: 'coherence',
    title: 'Coherence',
    inputs: ['response', 'prompt'],
    scores: ['is_coherent'],
    parameters: BY_MODEL,
  },
  {
    name: 'conciseness',
    title: 'Conciseness',
    inputs: ['response'],
    scores: ['is_concise'],
    parameters: BY_MODEL,
  },
  { name: 'toxicity', title: 'Toxicity', inputs: ['response'], scores: ['toxicity_prob'], parameters: [] },
  {
    name: 'sentiment_analysis',
    title: 'Sentiment',
    inputs: ['text'],
    scores: ['sentiment', 'sentiment_prob'],
    parameters: [],
  },
  {
    name: 'topic_classification',
    title: 'Topic',
    inputs: ['text'],
    scores: ['top_topic', 'top_topic_prob'],
    parameters: [],
  },
  {
    name: 'ftl_prompt_safety',
    title: 'Prompt safety',
    inputs: ['prompt'],
    scores: [
      'illegal_prob',
      'hateful_prob',
      'harassing_prob',
      'racist_prob',
      'sexist_prob',
      'violent_prob',
      'sexual_prob',
      'harmful_prob',
      'unethical_prob',
      'jailbreaking_prob',
      'max_risk_prob',
    ],
    parameters: [],
  },
  {
    name: 'ftl_response_faithfulness',
    title: 'Response faithfulness',
    inputs: ['response', 'context'],
    scores: ['faithful_prob'],
    parameters: [],
  },
];
