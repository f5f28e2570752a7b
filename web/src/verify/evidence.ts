import type { Contradiction } from './compare-heads.ts'

/**
 * A file that proves a contradiction to anybody who knows the log's keys: both signed notes, what the server answered, and the receipts.
 * @param receipts as links hold them, base64url
 */
export function writeEvidence(
  { first, proof, second }: Contradiction,
  receipts: readonly string[],
  keys: readonly string[],
  at: Date,
): string {
  const answered =
    proof === null
      ? 'Both are of one size and have different roots. No append-only log has two.'
      : `The server answered this consistency proof between them (RFC 6962), which does not hold:\n${proof.join('\n') || '(no hashes)'}`
  return [
    `Two checkpoints of the log ${first.origin} that contradict each other.`,
    `Collected ${at.toISOString()}.\n`,
    `--- the first ---\n${first.note}`,
    `--- the second ---\n${second.note}`,
    `--- why they contradict each other ---\n${answered}\n`,
    `--- keys of the log ---\n${keys.join('\n')}\n`,
    `--- receipts ---\n${receipts.join('\n')}\n`,
  ].join('\n')
}
