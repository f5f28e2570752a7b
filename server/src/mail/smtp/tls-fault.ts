/** Why a certificate was not taken, by Node's codes. They quote neither names nor addresses. */
const CAUSES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'a self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'a self-signed certificate in its chain',
  UNABLE_TO_GET_ISSUER_CERT: 'a certificate of an authority that is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'a certificate of an authority that is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'a certificate of an authority that is not known here',
  CERT_HAS_EXPIRED: 'a certificate that has expired',
  CERT_NOT_YET_VALID: 'a certificate that is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'a certificate for another name',
}

/**
 * Why there is no TLS, in words and by its code.
 * @param code of Node's error, such as `CERT_HAS_EXPIRED`
 */
export function tlsFault(code: string | undefined): string {
  const cause = CAUSES[code ?? '']
  return [cause, code && (cause ? `(${code})` : code)].filter(Boolean).join(' ')
}
