/**
 * The attacks on sign-in at full size, against the real app and a separate PostgreSQL. Prints figures and throws when one of
 * them breaks its bound. `AUTH_ROUNDS` (1,000 unless set) changes the size; some runs take ten times as many or a tenth.
 */
import { forgeTokens } from '../../server/test/attacks/forge-tokens.ts'
import { floodMailbox, guessCodes, raceCodes } from '../../server/test/attacks/guess-codes.ts'
import { plantCanaries, scanMails } from '../../server/test/attacks/look-around.ts'
import { poisonHost, redirectElsewhere } from '../../server/test/attacks/redirect-elsewhere.ts'
import { endSessions, replayTokens } from '../../server/test/attacks/replay-tokens.ts'
import { distinguish } from '../../server/test/attacks/tell-apart.ts'
import { attack, onDatabase, print } from './attack-scenario.ts'

const ROUNDS = Number(process.env.AUTH_ROUNDS ?? 1000)
/** Addresses that guesses come from. */
const SOURCES = ROUNDS * 10
/** For each call: requests about a known and an unknown address, which must look alike. */
const PAIRS_A_CALL = ROUNDS * 2
/** Rate limits off, for the attacks that would otherwise only meet the limits. */
const UNLIMITED = { limitsOn: false }

export const runs: Record<string, () => Promise<void>> = {
  'S1-guessing': () => attack((app) => guessCodes(app, SOURCES)),
  'S2-code-race': () => attack((app) => raceCodes(app, ROUNDS), UNLIMITED),
  'S3-enumeration': () => attack((app) => distinguish(app, PAIRS_A_CALL), UNLIMITED),
  'S4-mail-bomb': () => attack((app) => floodMailbox(app, ROUNDS)),
  'S5-refresh-replay': () => attack((app) => replayTokens(app, ROUNDS), UNLIMITED),
  'S6-forged-tokens': () => attack(forgeTokens, UNLIMITED),
  'S7-session-end': () => attack((app) => endSessions(app, ROUNDS / 10), UNLIMITED),
  'S9-redirects': () => attack(redirectElsewhere, UNLIMITED),
  'S17-host-poisoning': () => attack(poisonHost, UNLIMITED),
  'S28-canaries': () => onDatabase(async (database) => print(await plantCanaries(database))),
  'S30-scanners': () => attack((app) => scanMails(app, ROUNDS / 10), UNLIMITED),
}
