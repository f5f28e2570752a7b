/** Answers of the public record (rule G-116): everybody may ask, without a sign-in. Bytes are base64. */
import * as z from 'zod/mini'

const bytes = z.string()
const count = z.int()

/** Verifier keys (c2sp.org/signed-note) whose signatures count: the log's under both types, old ones too. */
export const recordKeys = z.object({
  origin: z.string(),
  log: z.array(z.string()),
  witnesses: z.array(z.string()),
  /** So many witnesses have to have signed for a receipt to count. */
  quorum: count,
})

/** Proves that an entry is in the tree of a size (RFC 6962). */
export const recordProof = z.object({ index: count, size: count, path: z.array(bytes) })

/** Proves that a tree begins with the whole of a smaller one. */
export const recordConsistency = z.object({ from: count, to: count, proof: z.array(bytes) })

/** With it everybody can read what an entry commits to. */
export const recordOpening = z.object({ salt: bytes, text: z.string() })

/** The record of a trader, and how many positions the product shows; struck ones count as neither. */
export const recordOfTrader = z.object({
  /** Hexadecimal. */
  record: z.string(),
  /** Number of the newest entry among those of the trader. */
  seq: count,
  open: count,
  closed: count,
  /** Numbers of the entries in the log, from 0. */
  leaves: z.array(count),
})

/** Gaps that restored backups have left (ADR 0120). */
export const recordGaps = z.object({
  gaps: z.array(
    z.object({
      resumedAtSize: count,
      lostSize: count,
      /** The newest checkpoint that was signed before. */
      lostNote: z.string(),
      /** ISO 8601 UTC. */
      publishedAt: z.string(),
    }),
  ),
})
