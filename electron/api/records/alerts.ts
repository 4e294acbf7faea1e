/** Alert rules, their notifications, records, history and thresholds (SERVICE.md F6). */
import * as z from '../../shared/zod.ts';
import { optionalNumber, optionalText, person, reference, stamps, text } from './parts.ts';

/** A point in time, as a number since 1970 (seconds or milliseconds, depending on its size) or as ISO text. */
const moment = z.union([z.number(), z.string()]).nullish();
const metric = z.union([z.string(), z.looseObject({ id: optionalText, type: optionalText })]).nullish();
const featureNames = z.array(z.string()).nullish();

const ruleFields = {
  name: text,
  priority: optionalText,
  bin_size: optionalText,
  compare_to: optionalText,
  compare_bin_delta: optionalNumber,
  condition: optionalText,
  critical_threshold: optionalNumber,
  warning_threshold: optionalNumber,
  feature_names: featureNames,
  enable_notification: z.boolean().nullish(),
  metric,
  model: reference,
  project: reference,
  organization: reference,
  baseline: reference,
  segment: reference,
  created_by: person,
  updated_by: person,
  ...stamps,
};

/** SERVICE.md F6.2 */
export const alertRule = z.looseObject({
  id: text,
  ...ruleFields,
  threshold_type: optionalText,
  auto_threshold_params: z.looseObject({}).nullish(),
  category: z.unknown().optional(),
  evaluation_delay: optionalNumber,
});

/** SERVICE.md F6.5 */
export const alertRecord = z.looseObject({
  id: text,
  alert_rule_id: optionalText,
  alert_run_start_time: moment,
  alert_time_bucket: moment,
  alert_value: optionalNumber,
  baseline_time_bucket: moment,
  baseline_value: optionalNumber,
  warning_threshold: optionalNumber,
  critical_threshold: optionalNumber,
  severity: optionalText,
  message: optionalText,
  failure_reason: optionalText,
  feature_name: optionalText,
  alert_record_main_version: optionalNumber,
  alert_record_sub_version: optionalNumber,
  ...stamps,
});

/** The latest record of each time bucket is in `items`. */
export const alertRecordHistory = z.looseObject({
  items: z.array(
    z.looseObject({
      time_bucket: moment,
      alert_count: optionalNumber,
      alert_history_count: optionalNumber,
      latest_record: alertRecord.nullish(),
    }),
  ),
});

export const alertRuleSummary = z.looseObject({
  alert_rule_id: text,
  /** Identity of the latest record. */
  id: optionalText,
  ...ruleFields,
  alert_record_count: optionalNumber,
  latest_alert_record_value: optionalNumber,
  latest_alert_record_severity: optionalText,
  latest_alert_time_bucket: moment,
  latest_alert_feature_name: optionalText,
  latest_threshold: optionalNumber,
  severity: optionalText,
});

/**
 * AlertThresholdsForBinResponse, whose fields are not published. These are the fields that the sample service sends.
 */
export const alertThresholds = z.looseObject({
  alert_time_bucket: moment,
  critical_threshold: optionalNumber,
  warning_threshold: optionalNumber,
  feature_name: optionalText,
});

/** SERVICE.md F6.4 */
export const notification = z.looseObject({
  emails: z.array(z.string()).nullish(),
  pagerduty_services: z.array(z.string()).nullish(),
  pagerduty_severity: optionalText,
  webhooks: z.array(z.string()).nullish(),
});
export type Notification = z.infer<typeof notification>;

/** TestNotificationResponse, whose fields are not published. The sample service sends `results`. */
export const testNotificationResult = z.looseObject({
  results: z
    .array(
      z.looseObject({
        channel: optionalText,
        recipient: optionalText,
        status: optionalText,
        message: optionalText,
      }),
    )
    .nullish(),
});
