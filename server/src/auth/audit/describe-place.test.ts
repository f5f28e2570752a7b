import { expect, test } from 'vitest'
import { describePlace } from './describe-place.ts'

const device = (userAgent: string | null) => describePlace({ ip: null, userAgent }).device
const network = (ip: string | null) => describePlace({ ip, userAgent: null }).network

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36 Edg/149.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Safari on Mac',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/149.0.0.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  [
    'Mozilla/5.0 (Linux; Android 16; SM-S938B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/140.0.0.0 Mobile Safari/537.36',
    'Samsung Internet on Android',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 16000.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
    'Chrome on ChromeOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/149.0.0.0 Safari/537.36 OPR/130.0',
    'Opera on Windows',
  ],
  ['curl/8.18.0', 'Another program'],
  ['Java/21 (Linux)', 'Another program on Linux'],
  ['Your own telephone, do not worry', 'Another program'],
  ['', 'Another program'],
  [null, 'Another program'],
])('of "%s" only names that are known here are shown', (userAgent, shown) => {
  expect(device(userAgent)).toBe(shown)
})

test.each([
  ['203.0.113.77', '203.0.113.*'],
  ['::ffff:203.0.113.77', '203.0.113.*'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:*'],
  ['2001:db8::6', '2001:db8:0:*'],
  ['127.0.0.1', 'local'],
  ['192.168.7.7', 'local'],
  ['172.31.0.1', 'local'],
  ['172.32.0.1', '172.32.0.*'],
  ['110.1.2.3', '110.1.2.*'],
  ['::1', 'local'],
  ['fe80::1', 'local'],
  ['fd12:3456::1', 'local'],
  [null, null],
])('the network of %s is %s', (ip, shown) => {
  expect(network(ip)).toBe(shown)
})
