import { isIP } from 'node:net'
import type { SessionPlace } from '@tradepost/contract/sessions'

/** The first match counts, since most browsers also send the names of the browsers that they are derived from. */
const BROWSERS = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b|\bMac OS X\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
] as const

/**
 * Describes where a session is used, so that its owner recognises it (ADR 0030). The device is one of the names above,
 * since a thief can send any user agent. The network is the first part of the address, since a thief who reads the list
 * should not learn the owner's.
 */
export function describePlace(client: { ip: string | null; userAgent: string | null }): SessionPlace {
  return { device: deviceOf(client.userAgent), network: networkOf(client.ip) }
}

function deviceOf(userAgent: string | null): string {
  const text = userAgent ?? ''
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1]
  if (browser && system) return `${browser} on ${system}`
  if (browser) return browser
  return system ? `Another program on ${system}` : 'Another program'
}

/** @returns the first three numbers of an IPv4 address, or the first three groups (/48) of an IPv6 address; null for neither */
function networkOf(ip: string | null): string | null {
  const plain = ip?.replace(/^::ffff:(?=[\d.]+$)/i, '') ?? ''
  switch (isIP(plain)) {
    case 4:
      return isLocalIpv4(plain) ? LOCAL : plain.replace(/\d+$/, '*')
    case 6: {
      const groups = firstGroupsOf(plain).map((group) => group.toString(16))
      return isLocalIpv6(groups) ? LOCAL : `${groups.slice(0, 3).join(':')}:*`
    }
    default:
      return null
  }
}

const LOCAL = 'local'

/** RFC 1918, RFC 1122 (loopback), RFC 3927 (link-local). */
function isLocalIpv4(ip: string): boolean {
  return /^(10|127|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\./.test(ip)
}

/** RFC 4291 (loopback and link-local), RFC 4193 (unique local). */
function isLocalIpv6([first = '', second, third, fourth]: string[]): boolean {
  const isLoopback = [first, second, third, fourth].every((group) => group === '0')
  return isLoopback || /^fe[89ab]./.test(first) || /^f[cd]..$/.test(first)
}

/** The four groups of an IPv6 address (RFC 4291, 2.2) that name its /64. */
export function firstGroupsOf(ip: string): number[] {
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const front = head ? head.split(':') : []
  const back = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back]
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16))
}
