import type { Browser } from '@playwright/test'

/**
 * How much of a picture has changed. A browser decodes both, so that no library has to.
 * @param before null where there was none @param after as PNG
 * @returns percent of the pixels that differ by more than a shade; 100 where there was none or its size was another
 */
export async function changedPart(browser: Browser, before: Buffer | null, after: Buffer): Promise<number> {
  if (before === null) return 100
  const page = await browser.newPage()
  const urls = [before, after].map((png) => `data:image/png;base64,${png.toString('base64')}`)
  const part = await page.evaluate(async (given) => {
    const pixels = await Promise.all(
      given.map(async (url) => {
        const image = await createImageBitmap(await (await fetch(url)).blob())
        const canvas = new OffscreenCanvas(image.width, image.height)
        const context = canvas.getContext('2d')
        context?.drawImage(image, 0, 0)
        return context?.getImageData(0, 0, image.width, image.height)
      }),
    )
    const [one, other] = pixels
    if (!one || !other || one.width !== other.width || one.height !== other.height) return 100
    let changed = 0
    for (let at = 0; at < one.data.length; at += 4)
      if (
        [0, 1, 2].some(
          (colour) => Math.abs((one.data[at + colour] ?? 0) - (other.data[at + colour] ?? 0)) > 16,
        )
      )
        changed += 1
    return (changed * 400) / one.data.length
  }, urls)
  await page.close()
  return part
}
