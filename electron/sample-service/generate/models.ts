/** Three models: churn without special columns, insurance with a time column, card fraud with custom event ids. */
import type { JsonRecord } from '../store.ts';

export interface ModelPlan {
  name: string;
  task: string;
  description: string;
  columns: JsonRecord[];
  spec: { inputs: string[]; outputs: string[]; targets: string[]; metadata: string[] };
  eventIdColumn: string | null;
  timeColumn: string | null;
  timeFormat: string | null;
  /** Names and row counts of the pre-production sets. */
  preProduction: { name: string; rowCount: number }[];
}

function column(name: string, dataType: string, rest: JsonRecord = {}): JsonRecord {
  return { id: name, name, data_type: dataType, min: null, max: null, categories: null, ...rest };
}

const int = (name: string, min: number, max: number): JsonRecord => column(name, 'int', { min, max });
const float = (name: string, min: number, max: number): JsonRecord => column(name, 'float', { min, max });
const category = (name: string, ...categories: string[]): JsonRecord =>
  column(name, 'category', { categories });

function namesOf(columns: readonly JsonRecord[]): string[] {
  return columns.map((entry) => String(entry['name']));
}

const churnInputs = [
  int('CreditScore', 300, 850),
  category('Geography', 'France', 'Germany', 'Spain'),
  category('Gender', 'Female', 'Male'),
  int('Age', 18, 100),
  int('Tenure', 0, 10),
  float('Balance', 0, 300_000),
  int('NumOfProducts', 1, 4),
  category('HasCrCard', 'No', 'Yes'),
  category('IsActiveMember', 'No', 'Yes'),
  float('EstimatedSalary', 0, 200_000),
];
const churnTarget = category('Churned', 'Churned', 'Not Churned');

const insuranceInputs = [
  category('location_state', 'Arizona', 'California', 'Nevada', 'Oregon', 'Washington'),
  float('customer_lifetime_value', 0, 90_000),
  category('response', 'No', 'Yes'),
  category('coverage', 'Basic', 'Extended', 'Premium'),
  category('education', 'High School or Below', 'College', 'Bachelor', 'Master', 'Doctor'),
  category('employmentstatus', 'Employed', 'Unemployed', 'Disabled', 'Retired', 'Medical Leave'),
  category('gender', 'F', 'M'),
  int('income', 0, 100_000),
  category('location_code', 'Rural', 'Suburban', 'Urban'),
  category('marital_status', 'Divorced', 'Married', 'Single'),
  int('monthly_premium_auto', 50, 300),
  int('months_since_last_claim', 0, 36),
  int('months_since_policy_inception', 0, 100),
  int('number_of_open_complaints', 0, 5),
  int('number_of_policies', 1, 9),
  category('policy_type', 'Corporate Auto', 'Personal Auto', 'Special Auto'),
  category(
    'policy',
    ...['Corporate', 'Personal', 'Special'].flatMap((kind) => [1, 2, 3].map((level) => `${kind} L${level}`)),
  ),
  category('renew_offer_type', 'Offer1', 'Offer2', 'Offer3', 'Offer4'),
  category('sales_channel', 'Agent', 'Branch', 'Call Center', 'Web'),
  float('total_claim_amount', 0, 3_000),
  category('vehicle_class', 'Four-Door Car', 'Two-Door Car', 'SUV', 'Luxury SUV', 'Sports Car', 'Luxury Car'),
  category('vehicle_size', 'Large', 'Medsize', 'Small'),
];
const insuranceOutput = float('predicted_customer_lifetime_value', 0, 90_000);
const insuranceTarget = category('high_value', 'No', 'Yes');
const insuranceMetadata = [column('customer', 'str'), column('effective_to_date', 'timestamp')];

const fraudInputs = [
  float('amount', 0, 25_000),
  category('merchant_category', 'grocery', 'travel', 'fuel', 'electronics', 'restaurant', 'other'),
  column('is_online', 'bool'),
  int('hour_of_day', 0, 23),
  column('merchant_embedding', 'vector', { n_dimensions: 4 }),
];
const fraudOutput = float('fraud_score', 0, 1);
const fraudTarget = column('is_fraud', 'bool');
const fraudMetadata = [
  column('transaction_id', 'str'),
  column('processed_at', 'timestamp'),
  column('review_note', 'str'),
];

export const MODELS: readonly ModelPlan[] = [
  {
    name: 'Bank churn',
    task: 'binary_classification',
    description: 'Which customers of the retail bank are about to leave.',
    columns: [...churnInputs, churnTarget],
    spec: { inputs: namesOf(churnInputs), outputs: [], targets: ['Churned'], metadata: [] },
    eventIdColumn: null,
    timeColumn: null,
    timeFormat: null,
    preProduction: [{ name: 'training_2024', rowCount: 8_000 }],
  },
  {
    name: 'Auto insurance value',
    task: 'regression',
    description: 'Lifetime value of customers with motor insurance.',
    columns: [...insuranceMetadata, ...insuranceInputs, insuranceOutput, insuranceTarget],
    spec: {
      inputs: namesOf(insuranceInputs),
      outputs: namesOf([insuranceOutput]),
      targets: namesOf([insuranceTarget]),
      metadata: namesOf(insuranceMetadata),
    },
    eventIdColumn: null,
    timeColumn: 'effective_to_date',
    timeFormat: '%m/%d/%y',
    preProduction: [{ name: 'baseline_q4', rowCount: 2_400 }],
  },
  {
    name: 'Card fraud',
    task: 'binary_classification',
    description: 'Fraud score of card payments, with the labels that reviewers add later.',
    columns: [...fraudMetadata, ...fraudInputs, fraudOutput, fraudTarget],
    spec: {
      inputs: namesOf(fraudInputs),
      outputs: namesOf([fraudOutput]),
      targets: namesOf([fraudTarget]),
      metadata: namesOf(fraudMetadata),
    },
    eventIdColumn: 'transaction_id',
    timeColumn: 'processed_at',
    timeFormat: null,
    preProduction: [],
  },
];
