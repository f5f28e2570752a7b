import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

export type Certificate = { key: string; cert: string }

/**
 * A certificate that vouches for itself (RFC 5280), for servers of tests: Node cannot make one, and one in a file would
 * grow old and carry a key.
 * @param of.ip the IPv4 address it is made out to
 * @param of.until year in which it ends, below 2050
 */
export function selfSignedCertificate(of: { ip: string; until: number }): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = toBeSigned(of, publicKey)
  const signature = sign('sha256', body, privateKey)
  const der = sequence(body, ECDSA_WITH_SHA256, tagged(0x03, Buffer.from([0]), signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function toBeSigned(of: { ip: string; until: number }, publicKey: KeyObject): Buffer {
  // Certificates are found by name, so each has its own.
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(randomUUID())))))
  const time = (year: number) =>
    tagged(0x17, Buffer.from(`${String(year % 100).padStart(2, '0')}0101000000Z`))
  const addresses = sequence(tagged(0x87, Buffer.from(of.ip.split('.').map(Number))))
  return sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(2001), time(of.until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(sequence(SUBJECT_ALT_NAME, tagged(0x04, addresses)))),
  )
}

const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'))
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = oid('550403')
const SUBJECT_ALT_NAME = oid('551d11')

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

/** Tag, length, content (DER); content below 64 KiB. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
