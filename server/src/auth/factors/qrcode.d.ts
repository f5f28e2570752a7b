/** The calls that are used of a library without types; the second one only by tests. */
declare module 'qrcode' {
  const qrcode: {
    toString(text: string, options: { type: 'svg' }): Promise<string>
    create(text: string): { modules: { size: number; data: Uint8Array } }
  }
  export default qrcode
}
