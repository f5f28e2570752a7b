import { readFileSync } from 'node:fs'
import { auditLog } from '../src/audit.ts'
import { type FoundReceipt, findReceipts } from '../src/find-receipts.ts'
import type { Finding } from '../src/findings.ts'
import { auditHeld, type Held, judgeHeld } from '../src/held.ts'
import { checkReceipt, type Policy } from '../src/receipt.ts'
import { inWords, WORDS_OF_REFUSAL, wordsOfReceipt } from '../src/receipt-words.ts'
import { getWhole, httpSource, NoAnswer, readPolicy } from './http-source.ts'
import { readKept, readKeptText, writeKept } from './kept-file.ts'
import { crypto } from './node-crypto.ts'
import { runProgram, Usage } from './run-program.ts'
import { type Call, readCall } from './words-of-call.ts'

const USAGE = `Checks receipts of a public record, and audits a whole record.

  node verify.mjs [options] RECEIPT ...     a link in quotes, or a file: a mail (.eml) or a text with the link
  node verify.mjs [options] --audit https://HOST [RECEIPT ...]

  --keys FILE     the record's keys, as HOST/record/keys shows them; asked from HOST without it, which then has to be trusted
  --offline       asks nobody; needs --keys
  --trader NAME   whose mails these are; with --audit names with commas between, whose pages are held against the log
  --seen FILE     keeps the newest checkpoint that was seen, and holds the log to it

Ends with 0 where everything is true, with 1 where the record is at fault or a receipt false, with 2 where nothing could be checked.`

async function main(args: string[]): Promise<number> {
  const call = readCall(args, { options: ['keys', 'trader', 'seen', 'audit'], flags: ['offline'] })
  const inputs = call.words.map((word) => ({ word, receipts: findReceipts(readInput(word)) }))
  const audited = call.options.get('audit')?.replace(/\/+$/, '')
  const sites = new Set([
    ...(audited === undefined ? [] : [audited]),
    ...inputs.flatMap(({ receipts }) => receipts.map(({ site }) => site)),
  ])
  for (const { word, receipts } of inputs)
    if (receipts.length === 0) console.log(`There is no receipt in ${shortened(word)}.`)
  if (sites.size === 0 && inputs.length === 0) throw new Usage('There is nothing to check.')
  const codes = inputs.some(({ receipts }) => receipts.length === 0) ? [2] : []
  const receipts = inputs.flatMap((input) => input.receipts)
  for (const site of sites)
    codes.push(
      await checkSite(
        site,
        receipts.filter((one) => one.site === site),
        call,
        site === audited,
      ),
    )
  return codes.includes(1) ? 1 : Math.max(...codes)
}

/** A link is itself; anything else is the name of a file. */
function readInput(word: string): string {
  if (/^https?:\/\//.test(word)) return word
  try {
    return readFileSync(word, 'latin1')
  } catch (error) {
    throw new Usage(`${shortened(word)} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

const shortened = (word: string) => (word.length > 60 ? `${word.slice(0, 57)}...` : word)

/** @returns the code of the program, for one site */
async function checkSite(
  site: string,
  receipts: readonly FoundReceipt[],
  call: Call,
  isAudited: boolean,
): Promise<number> {
  const policy = await policyOf(site, call)
  const host = new URL(site).host
  let isFalse = false
  for (const { bytes } of receipts) {
    const checked = await checkReceipt(bytes, policy, crypto)
    isFalse ||= 'refused' in checked
    console.log('refused' in checked ? WORDS_OF_REFUSAL[checked.refused] : wordsOfReceipt(checked, host))
    console.log()
  }
  const seen = call.options.get('seen')
  const kept = seen === undefined ? null : readKeptText(seen)
  const usernames = call.options.get('trader')?.split(',') ?? []
  const [only, ...others] = usernames
  const username = others.length === 0 && only !== undefined ? { username: only } : {}
  const held: Held = {
    receipts: receipts.map(({ bytes }) => ({ bytes, ...username })),
    checkpoints: kept === null ? [] : [kept],
  }
  if (call.flags.has('offline')) return report(await judgeHeld(held, policy, crypto), isFalse)
  try {
    const { findings, checkpoint } = await compare(site, held, policy, isAudited ? usernames : null)
    if (seen !== undefined && findings.length === 0) writeKept(seen, checkpoint)
    return report(findings, isFalse)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    console.log(`${error.message} So nothing was compared with the record of today.`)
    const code = report(await judgeHeld(held, policy, crypto), isFalse)
    return code === 0 && (isAudited || receipts.length === 0) ? 2 : code
  }
}

async function policyOf(site: string, call: Call): Promise<Policy> {
  const file = call.options.get('keys')
  if (file !== undefined) {
    const bytes = readKept(file)
    if (!bytes) throw new Usage(`There is no file ${file}.`)
    return readPolicy(bytes)
  }
  if (call.flags.has('offline')) throw new Usage('--offline needs --keys.')
  console.log(`The keys are those that ${new URL(site).host} shows today; --keys holds it to others.\n`)
  return readPolicy(await getWhole(`${site}/record/keys`))
}

/** @param usernames of an audit, null where only things that are held are compared */
async function compare(
  site: string,
  held: Held,
  policy: Policy,
  usernames: readonly string[] | null,
): Promise<{ findings: Finding[]; checkpoint: string }> {
  const source = httpSource(site)
  const checkpoint = await source.checkpoint()
  const answers = [checkpoint]
  // The checkpoint that is held against everything is the one that may be kept; later ones are asked for.
  const sameFirst = { ...source, checkpoint: async () => answers.shift() ?? source.checkpoint() }
  const findings = await auditHeld(held, sameFirst, policy, crypto)
  if (usernames === null) return { findings, checkpoint }
  const audit = await auditLog(source, policy, crypto, usernames)
  const { head, missing } = audit
  if (missing.length > 0) console.log(`There is no page of ${missing.join(', ')}.`)
  if (head) {
    const pages = usernames.length === 0 ? '' : `, and the pages of ${usernames.join(', ')}`
    console.log(`Audited ${head.size} leaves, signed ${inWords(head.signedAt)}${pages}.`)
  }
  return { findings: [...findings, ...audit.findings], checkpoint }
}

function report(findings: readonly Finding[], isFalse: boolean): number {
  // A receipt that is refused was named above.
  const others = findings.filter(({ check }) => check !== 'A17')
  for (const { check, words } of others) console.log(`${check}  ${words}`)
  if (others.length > 0) console.log('\nKeep this mail and these lines: they convict the record’s operator.')
  else if (!isFalse) console.log('Nothing contradicts it.')
  return isFalse || findings.length > 0 ? 1 : 0
}

runProgram(USAGE, main)
