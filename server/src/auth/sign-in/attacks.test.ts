import { expect, test } from 'vitest'
import { forgeTokens } from '../../../test/attacks/forge-tokens.ts'
import { floodMailbox, guessCodes, raceCodes } from '../../../test/attacks/guess-codes.ts'
import { plantCanaries, scanMails } from '../../../test/attacks/look-around.ts'
import { poisonHost, redirectElsewhere, wrongTargets } from '../../../test/attacks/redirect-elsewhere.ts'
import { endSessions, replayTokens } from '../../../test/attacks/replay-tokens.ts'
import { distinguish } from '../../../test/attacks/tell-apart.ts'
import { buildTestApp } from '../../../test/build-test-app.ts'

/** The attacks that `npm run faults` runs at full size, here at a small fixed one. Each asserts its own figures. */

test('guessing the codes of an address from everywhere stays at ten an hour, and the owner comes in by link', async () => {
  await using testApp = await buildTestApp()
  expect(await guessCodes(testApp, 120)).toMatchObject({ compared: 10, sends: 5, 'owner by link': 200 })
})

test('of two verifies of one code one gets a session, and an old code is dead', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  expect(await raceCodes(testApp, 10)).toEqual({ rounds: 10, sessions: 10 })
})

test('known and unknown addresses cost and answer the same at every call that takes one', async () => {
  // A new network each would be another key: the limit by network is not what is looked at here.
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  expect(Object.keys(await distinguish(testApp, 4))).toHaveLength(7)
})

test('a mailbox gets five mails an hour at most, a minute apart, by all ways together', async () => {
  await using testApp = await buildTestApp()
  expect(await floodMailbox(testApp, 120)).toMatchObject({ mails: 5 })
})

test('a replayed refresh token ends its family, and eight tabs end nothing', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  expect(await replayTokens(testApp, 12)).toMatchObject({ killed: 12 })
})

test('forged tokens of every kind are refused', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  expect(await forgeTokens(testApp)).toMatchObject({ accepted: 0 })
})

test('sign-out and suspension hold at once, in another process too', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  await endSessions(testApp, 4)
})

test('three hundred redirect targets lead home', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  expect(new Set(wrongTargets(testApp.settings.origin)).size).toBeGreaterThanOrEqual(300)
  await redirectElsewhere(testApp)
})

test('links of mails lead to the configured origin, whichever host the request names', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  await poisonHost(testApp)
})

test('no secret of the sign-in wire is in a log or an error', async () => {
  await plantCanaries()
})

test('a scanner that opens everything a mail names uses nothing up', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  await scanMails(testApp, 4)
})
