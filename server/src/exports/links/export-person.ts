import { open, rm } from 'node:fs/promises'
import { audit } from '../../auth/audit/audit.ts'
import { checkReason } from '../../platform/check-reason.ts'
import { type ExportDeps, readPerson } from './take-export.ts'

/** Nobody but the operator's account on the machine reads it. */
const OWNER_ONLY = 0o600

/**
 * Writes the file of somebody's data for an operator, where the person cannot take it themselves. The reason stands in the audit log, which
 * is in the file of the person. A file that does not come to its end is deleted.
 * @param of.userId of the person @param of.file a path where nothing is yet
 * @returns its bytes
 * @throws without a reason, and where the file exists
 */
export async function exportPerson(
  deps: ExportDeps,
  { file, reason, userId }: { userId: string; file: string; reason: string },
  now: Date,
): Promise<number> {
  const why = checkReason(reason)
  const handle = await open(file, 'wx', OWNER_ONLY)
  let written = 0
  try {
    await audit(deps, deps.db, { action: 'export_requested', userId, detail: `by operator: ${why}` }, now)
    for await (const bytes of await readPerson(deps, userId, now)) {
      await handle.writeFile(bytes)
      written += bytes.length
    }
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return written
}
