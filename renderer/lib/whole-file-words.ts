/** What the view of files sent whole says of each. Pure. */
import type { WholeFile, WholeFileState } from '../../electron/shared/whole-file-contract.ts';
import { formatBytes, formatNumber } from './format.ts';

export const WHOLE_FILE_WORDS: Readonly<Record<WholeFileState, string>> = {
  scheduled: 'Starts later',
  sending: 'Sending',
  uploaded: 'Uploaded',
  publishing: 'Publishing',
  following: 'Being read',
  done: 'Published',
  failed: 'Failed',
  unknown: 'Unknown',
  interrupted: 'Interrupted',
  cancelled: 'Cancelled',
};

/** Where the file is, and what is known of its rows. */
export function fileSentence(file: WholeFile): string {
  const why = file.error === null ? '' : ` ${file.error.message}`;
  const rows =
    file.file === null ? 'Nothing of it was published.' : 'It is uploaded; none of its rows were published.';
  switch (file.state) {
    case 'scheduled':
      return file.error === null ? 'Nothing of it was sent.' : `It waits:${why}`;
    case 'sending':
      return sendingText(file);
    case 'uploaded':
      return 'The service has the file; nothing reads it.';
    case 'publishing':
      return 'The service has the file and is asked to publish its rows.';
    case 'following':
      return 'The service’s job reads the file.';
    case 'done':
      return 'The service’s job has read the file.';
    case 'unknown':
      return `Its rows may or may not be published, and it is not sent again. Look at the jobs of the service.${why}`;
    case 'interrupted':
      return `The application ended while it was being sent. ${rows}`;
    case 'cancelled':
      return rows;
    case 'failed':
      return file.jobId === null ? `${rows}${why}` : why.trim();
  }
}

function sendingText({ parts, partsSent, bytesSent, sizeBytes }: WholeFile): string {
  if (parts === 1) return `Sending ${formatBytes(sizeBytes)} in one request.`;
  if (partsSent === parts)
    return `All ${formatNumber(parts)} parts are sent; the service puts them together.`;
  const part = `Part ${formatNumber(partsSent + 1)} of ${formatNumber(parts)}`;
  return `${part} · ${formatBytes(bytesSent)} of ${formatBytes(sizeBytes)} sent`;
}

interface FileProgress {
  label: string;
  value: number | null;
  max: number;
  text?: string | undefined;
}

/** Null where nothing is going on. */
export function progressOfFile(file: WholeFile): FileProgress | null {
  const { parts, partsSent, progress } = file;
  if (file.state === 'sending') {
    const text = `${formatNumber(partsSent)} of ${formatNumber(parts)} parts`;
    return parts === 1
      ? { label: 'sending', value: null, max: 1 }
      : { label: 'sending', value: partsSent, max: parts, text };
  }
  if (file.state === 'publishing') return { label: 'publishing', value: null, max: 1 };
  if (file.state !== 'following') return null;
  const text = progress === null ? undefined : `${formatNumber(progress)} %`;
  return { label: 'being read', value: progress, max: 100, text };
}

/** What sending it takes, as \`files:look\` says before. */
export function requestsOfFile({ parts, publishes }: WholeFile): { operation: string; count: number }[] {
  const publishing = publishes ? [{ operation: 'events.publish', count: 1 }] : [];
  if (parts === 1) return [{ operation: 'files.upload', count: 1 }, ...publishing];
  return [
    { operation: 'files.multipart-init', count: 1 },
    { operation: 'files.multipart-upload', count: parts },
    { operation: 'files.multipart-complete', count: 1 },
    ...publishing,
  ];
}
