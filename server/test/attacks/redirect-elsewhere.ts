import assert from 'node:assert/strict'
import type { TestApp } from '../build-test-app.ts'
import { authWire } from '../sign-in/auth-wire.ts'
import { deliverSignInMails } from '../sign-in/sign-in-mails.ts'
import type { Figures } from './guess-codes.ts'

const EVIL = [
  'evil.example',
  'xn--e1awd7f.example',
  '203.0.113.9',
  '[2001:db8::1]',
  '2130706433',
  '127.0.0.1',
]

/** Three hundred and some ways to write an address that is not the product's, and looks it to careless code. */
export function wrongTargets(origin: string): string[] {
  const { protocol, hostname, host, port } = new URL(origin)
  const other = protocol === 'https:' ? 'http:' : 'https:'
  const perHost = EVIL.flatMap((evil) => [
    `${protocol}//${evil}`,
    `${protocol}//${evil}/`,
    `${protocol}//${evil}:${port || '443'}/`,
    `//${evil}`,
    `///${evil}`,
    `////${evil}/%2f..`,
    `/\\${evil}`,
    `\\\\${evil}`,
    `\\/${evil}`,
    `/${evil}`,
    evil,
    `${protocol}${evil}`,
    `${protocol}/${evil}`,
    `${protocol}///${evil}`,
    `${protocol}\\\\${evil}`,
    `${origin}@${evil}`,
    `${origin}@${evil}/`,
    `${origin}:pw@${evil}/`,
    `${protocol}//${host}%40${evil}/`,
    `${protocol}//${host}%2f@${evil}/`,
    `${protocol}//${host}%23@${evil}/`,
    `${protocol}//${host}\\@${evil}/`,
    `${protocol}//${evil}\\@${host}/`,
    `${protocol}//${evil}#@${host}/`,
    `${protocol}//${evil}?@${host}/`,
    `${protocol}//${evil}/${host}`,
    `${protocol}//${evil}/?${origin}`,
    `${protocol}//${evil}/#${origin}`,
    `${protocol}//${host}.${evil}/`,
    `${protocol}//${hostname}.${evil}`,
    `${protocol}//${hostname}-${evil}/`,
    `${protocol}//${evil}%00.${hostname}/`,
    `${protocol}//${evil}%0d%0aset-cookie:x=1`,
    `${protocol}//${evil}\u3002${hostname}/`,
    `${protocol}//${evil}\uff0f${hostname}/`,
    ` ${protocol}//${evil}`,
    `\t${protocol}//${evil}`,
    `${protocol}/\t/${evil}`,
    `${protocol}//\n${evil}`,
    `${other}//${evil}/`,
    `ftp://${evil}/`,
    `data:text/html,<script>location='${protocol}//${evil}'</script>`,
    `javascript:location='${protocol}//${evil}'`,
    `JaVaScRiPt:alert(1)//${evil}`,
    `view-source:${protocol}//${evil}`,
    `blob:${protocol}//${evil}/1`,
    `intent://${evil}#Intent;end`,
    `%68ttp://${evil}/`,
  ])
  const alike = [
    `${other}//${host}/`,
    `${protocol}//${hostname}:1/`,
    `${protocol}//${hostname}./`,
    `${protocol}//${host}.`,
    `${protocol}//user@${host}/`,
    `${protocol}//user:pw@${host}/`,
    `${protocol}//:@${host}/`,
    `${protocol}//@${host}/`,
    `${protocol}//www.${host}/`,
    `${protocol}//${hostname}%2e/`,
    `${protocol}//${host}\u200b/`,
    `${protocol}//${hostname.replace('o', '\u043e')}/`,
    `${origin.toUpperCase()}/`,
    `${origin}\\`,
    `${origin}\r\nlocation: http://evil.example`,
    `${origin}/\r\nlocation: http://evil.example`,
    `${origin}0/`,
    `${origin}x`,
    '*',
    'null',
    '/',
    '//',
    '?',
    'about:blank',
    'file:///etc/passwd',
  ]
  return [...perHost, ...alike]
}

/** Ways to write addresses of the product itself, which are let through as they are. */
function rightTargets(origin: string): string[] {
  return [
    '',
    '/',
    '/login',
    '/?next=//evil.example',
    '/a/%2f%2fevil.example',
    '//evil.example',
    '/@evil.example',
    '?a=1',
  ].map((rest) => `${origin}${rest}`)
}

/** S9: whichever target a link asks for, it leads to the product's own origin, whether it works or not. */
export async function redirectElsewhere(testApp: TestApp): Promise<Figures> {
  const { origin } = testApp.settings
  const open = async (token: string, redirect_to: string) => {
    const query = new URLSearchParams({ token, type: 'magiclink', redirect_to })
    const answer = await testApp.app.inject({
      url: `/auth/v1/verify?${query}`,
      headers: { host: 'evil.example', referer: 'http://evil.example/', redirect_to: 'http://evil.example/' },
    })
    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers['set-cookie'], undefined)
    return new URL(String(answer.headers.location), 'http://relative.example')
  }
  const wrong = wrongTargets(origin)
  for (const target of wrong) {
    const location = await open('nothing', target)
    assert.equal(location.href.split('#')[0], `${origin}/`, JSON.stringify(target))
  }
  for (const target of rightTargets(origin)) {
    const location = await open('nothing', target)
    assert.equal(location.origin, origin)
    assert.equal(location.href.split('#')[0], new URL(target).href)
  }
  // With a link that works, where a mistake would hand tokens out.
  const wire = authWire(testApp)
  const working = wrong.filter((_, index) => index % 29 === 0)
  for (const [index, target] of working.entries()) {
    await wire.otp(`redirected-${index}@example.com`)
    const [mail] = await deliverSignInMails(testApp)
    const location = await open(mail?.tokenHash ?? '', target)
    assert.equal(location.href.split('#')[0], `${origin}/`)
    assert.match(location.hash, /access_token=/)
  }
  return { targets: wrong.length, escapes: 0, 'with tokens': working.length }
}

const POISON: Record<string, string>[] = [
  { host: 'evil.example' },
  { 'x-forwarded-host': 'evil.example' },
  { 'x-forwarded-proto': 'ftp', 'x-forwarded-port': '1' },
  { forwarded: 'for=1.2.3.4;host=evil.example;proto=http' },
  { 'x-original-host': 'evil.example', 'x-host': 'evil.example', 'x-forwarded-server': 'evil.example' },
  { 'x-original-url': 'http://evil.example/', 'x-rewrite-url': '/evil' },
  { origin: 'http://evil.example', referer: 'http://evil.example/' },
  { redirect_to: 'http://evil.example/' },
  { host: 'localhost:3000@evil.example' },
]

/** S17: whichever host a request names, the mail's link leads to the configured origin. */
export async function poisonHost(testApp: TestApp): Promise<Figures> {
  let mails = 0
  for (const path of ['/otp', '/recover', '/resend']) {
    for (const headers of POISON) {
      const email = `poisoned-${mails}@example.com`
      // Recovery and repetition mail known addresses alone.
      await authWire(testApp).enter(email)
      const answer = await testApp.app.inject({
        method: 'POST',
        url: `/auth/v1${path}?redirect_to=http%3A%2F%2Fevil.example`,
        headers,
        payload: { email, type: 'signup' },
      })
      const [mail] = await deliverSignInMails(testApp)
      assert.equal(answer.statusCode, 200, answer.body)
      assert.ok(mail, `${path} mails`)
      assert.ok(mail.link.startsWith(`${testApp.settings.origin}/login#token_hash=`), mail.link)
      assert.doesNotMatch(JSON.stringify([mail, answer.headers, answer.body]), /evil/)
      mails += 1
    }
  }
  return { requests: mails, 'links elsewhere': 0 }
}
