import { expect, test } from 'vitest'
import { linkedText, openLinksOutside } from './mail-html.ts'

test.each([
  ['<p>x</p>', '<base target="_top"><p>x</p>'],
  ['<!DOCTYPE html><p>x</p>', '<!DOCTYPE html><base target="_top"><p>x</p>'],
  [
    ' <!-- a --> <!doctype html>\n<html lang="en">\n<head><title>t</title>',
    ' <!-- a --> <!doctype html>\n<html lang="en">\n<head><base target="_top"><title>t</title>',
  ],
  ['<header>x</header>', '<base target="_top"><header>x</header>'],
])('links of %s open outside the frame, and the doctype stays first', (markup, expected) => {
  expect(openLinksOutside(markup)).toBe(expected)
})

test('addresses in plain text become links without the punctuation around them', () => {
  expect(linkedText('See (https://a.example/b?c=1&d=2), "http://e.example". Not javascript:x').markup).toBe(
    'See (<a href="https://a.example/b?c=1&amp;d=2">https://a.example/b?c=1&amp;d=2</a>), ' +
      '&quot;<a href="http://e.example">http://e.example</a>&quot;. Not javascript:x',
  )
})
