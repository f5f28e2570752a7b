import { draftEvidenceAtStripe, fetchCase, isUnanswered } from '../stripe/disputes.ts'
import type { StripeDeps } from '../stripe/stripe-client.ts'
import { type EvidenceDeps, readEvidence } from './read-evidence.ts'
import { evidenceFields } from './write-evidence.ts'

/**
 * Puts the evidence of a dispute in at Stripe as a draft, which an operator sends (rule G-129). One that is there already, or was edited
 * there, stays. Safe to repeat.
 * @throws what Stripe throws
 */
export async function draftEvidence(deps: StripeDeps & EvidenceDeps, disputeId: string): Promise<void> {
  const dispute = await fetchCase(deps, disputeId)
  if (!isUnanswered(dispute) || dispute.hasEvidence) return
  const evidence = await readEvidence(deps, dispute)
  if (evidence) await draftEvidenceAtStripe(deps, disputeId, evidenceFields(evidence, deps.settings.origin))
}
