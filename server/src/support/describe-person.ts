import { describePlace } from '../auth/audit/describe-place.ts'
import { at, line, printable } from './page-lines.ts'
import type { Device, Factor, LiveSession, PersonRow, Suspension } from './person.queries.ts'

/** @param suspensions newest first */
export function describeAccount(userId: string, person: PersonRow, suspensions: Suspension[]): string[] {
  const { confirmedAt, createdAt, followersShown, hasAbout, publicPageSince, username, usernameSetAt } =
    person
  return [
    line('Person', userId),
    line('Address', printable(person.email), confirmedAt ? `confirmed ${at(confirmedAt)}` : 'not confirmed'),
    line('Account', `since ${at(createdAt)}`),
    username === null || usernameSetAt === null
      ? line('Username', 'none yet')
      : line('Username', `@${username}`, `since ${at(usernameSetAt)}`),
    line(
      'Profile',
      publicPageSince ? `public page since ${at(publicPageSince)}` : 'no public page',
      hasAbout ? 'says something about themselves' : 'says nothing about themselves',
      followersShown && 'shows the number of followers',
    ),
    line('Closed', person.closedAt ? `since ${at(person.closedAt)}` : 'no'),
    line('Suspended', person.suspendedAt ? `since ${at(person.suspendedAt)}` : 'no'),
    ...suspensions.map(({ because, reason, restoredAt, since }) => {
      const end = restoredAt ? `, ended ${at(restoredAt)}: ${printable(because ?? '')}` : ''
      return `  from ${at(since)}: ${printable(reason)}${end}`
    }),
  ]
}

/** @param sessions the last used first */
export function describeSignIn(person: PersonRow, sessions: LiveSession[], factors: Factor[]): string[] {
  const [last] = sessions
  const place = last && describePlace({ ip: last.ip, userAgent: last.userAgent })
  const confirmed = factors.filter(({ status }) => status === 'verified')
  return [
    line(
      'Sessions',
      `${sessions.length}`,
      last && place
        ? `last used ${at(last.seenAt)} with ${place.device} from ${place.network ?? 'nowhere known'}`
        : null,
      person.lastSignInAt ? `last sign-in ${at(person.lastSignInAt)}` : 'never signed in',
    ),
    line(
      'Second step',
      confirmed.length === 0 ? 'off' : 'on',
      ...factors.map(
        ({ createdAt, name, status }) =>
          `${printable(name) || 'authenticator'} ${status === 'verified' ? 'since' : 'begun, not confirmed,'} ${at(createdAt)}`,
      ),
      confirmed.length > 0 && `${person.recoveryCodesLeft} recovery codes left`,
    ),
  ]
}

export function describeMails(person: PersonRow, devices: Device[]): string[] {
  const { positionMailsOffAt, renewalMailsOffAt, suppressedBecause, suppressedSince, suppressedUntil } =
    person
  return [
    line(
      'Mails',
      suppressedBecause && suppressedSince
        ? `withheld (${suppressedBecause}) since ${at(suppressedSince)}${suppressedUntil ? ` until ${at(suppressedUntil)}` : ''}`
        : 'go out',
      `${person.mailsWaiting} waiting`,
      person.reports > 0 && `${person.reports} came back or were complained about`,
    ),
    line(
      'Of positions',
      positionMailsOffAt
        ? `off for all traders since ${at(positionMailsOffAt)}`
        : 'on, as the switch of each trader says',
    ),
    line('Of renewals', renewalMailsOffAt ? `off since ${at(renewalMailsOffAt)}` : 'on'),
    line('Devices', `${devices.length} with notifications`),
    ...devices.map(({ createdAt, failingSince, userAgent }) => {
      const { device } = describePlace({ ip: null, userAgent })
      return `  ${device} since ${at(createdAt)}${failingSince ? `, not reached since ${at(failingSince)}` : ''}`
    }),
  ]
}
