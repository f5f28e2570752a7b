/**
 * `node scripts/draw-icons.ts`: draws the pictures that need pixels into web/public/icons: the icons of the installed app
 * and the preview that other sites show of the landing page; and favicon.ico, which programs ask for that read no document. They are
 * committed; run it again when the mark, a colour or the headline changes.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { chromiumArguments, findChromium } from './chromium.ts'

const web = join(import.meta.dirname, '../web')
const icons = join(web, 'public/icons')
const INK = 'oklch(0.16 0.01 260)'
const GREEN = 'oklch(0.8 0.17 155)'
const PAPER = 'oklch(0.95 0.005 260)'
const GREY = 'oklch(0.74 0.015 260)'

const paths = /<g [\s\S]*<\/g>/.exec(readFileSync(join(web, 'public/favicon.svg'), 'utf8'))?.[0]
if (!paths) throw new Error('favicon.svg does not hold the mark')
const font = readFileSync(
  join(import.meta.dirname, '../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'),
).toString('base64')

const mark = (size: string) =>
  `<svg viewBox="0 0 24 24" fill="none" style="width:${size};height:${size}">${paths}</svg>`

/** @param share of the width that the mark takes; a mask may cut everything outside the middle 80 % */
const icon = (share: number, corners: string) => `
  <div style="width:100vw;height:100vh;display:grid;place-items:center;background:${INK};border-radius:${corners}">
    ${mark(`${share}vw`)}
  </div>`

const preview = `
  <div style="box-sizing:border-box;width:1200px;height:630px;padding:84px 96px;background:${INK};color:${PAPER};
    display:flex;flex-direction:column">
    <div style="display:flex;align-items:center;gap:20px;font-size:44px;letter-spacing:-0.02em">
      ${mark('56px')}<span><b style="font-weight:700">Trade</b><span style="font-weight:300">post</span></span>
    </div>
    <div style="margin-top:auto;font-size:84px;line-height:1.06;font-weight:600;letter-spacing:-0.03em;max-width:960px">
      Follow traders by what they really achieved
    </div>
    <div style="margin-top:36px;font-size:33px;line-height:1.35;color:${GREY};text-wrap:balance">
      Positions published at prices nobody can type in, mailed to you at once.
    </div>
  </div>`

const pictures: { file: string; width: number; height: number; body: string }[] = [
  { file: 'icon-192.png', width: 192, height: 192, body: icon(62, '22%') },
  { file: 'icon-512.png', width: 512, height: 512, body: icon(62, '22%') },
  { file: 'icon-maskable-512.png', width: 512, height: 512, body: icon(48, '0') },
  { file: 'apple-touch-icon.png', width: 180, height: 180, body: icon(58, '0') },
  { file: 'preview.png', width: 1200, height: 630, body: preview },
  { file: '../favicon.ico', width: 32, height: 32, body: icon(78, '22%') },
]

const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: chromiumArguments(),
})
for (const { file, width, height, body } of pictures) {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.setContent(`<!doctype html><style>
    @font-face { font-family: Geist; font-weight: 100 900; src: url(data:font/woff2;base64,${font}) }
    html, body { margin: 0; background: transparent; font-family: Geist }
    g { color: ${GREEN} !important }</style>${body}`)
  await page.evaluate(() => document.fonts.ready)
  const png = await page.screenshot({ omitBackground: true })
  writeFileSync(join(icons, file), file.endsWith('.ico') ? inIconFile(png, width) : png)
  await page.close()
}
await browser.close()

/** A PNG in the format of Windows' icons, which is a directory of one entry before it. @param size of the square, in px, below 256 */
function inIconFile(png: Buffer, size: number): Buffer {
  const directory = Buffer.alloc(22)
  directory.writeUInt16LE(1, 2) // It holds icons, not cursors.
  directory.writeUInt16LE(1, 4) // So many of them.
  directory.writeUInt8(size, 6)
  directory.writeUInt8(size, 7)
  directory.writeUInt16LE(1, 10) // Planes.
  directory.writeUInt16LE(32, 12) // Bits of a pixel.
  directory.writeUInt32LE(png.length, 14)
  directory.writeUInt32LE(directory.length, 18)
  return Buffer.concat([directory, png])
}
