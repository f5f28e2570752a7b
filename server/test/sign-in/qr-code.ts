/// <reference path="../../src/auth/factors/qrcode.d.ts" />
import qrcode from 'qrcode'

/** The squares of a text's QR code (ISO/IEC 18004), row by row, true where dark; without the white around it. */
export function qrSquares(text: string): boolean[][] {
  const { size, data } = qrcode.create(text).modules
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => data[row * size + column] === 1),
  )
}
