// geometryFaults lists what is wrong with the look of a page or a picture: text that overlaps, is cut or too small, marks
// outside of their picture, a page or a table that is wider than its place, low contrast, small controls, pictures without
// a label, and numbers as machines write them. The list is empty where all is well.
function geometryFaults() {
  const faults = [], short = s => s.trim().slice(0, 30);
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push('page scrolls sideways: ' + root.scrollWidth + ' > ' + root.clientWidth);
  const seen = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && getComputedStyle(e).visibility !== 'hidden'; };
  for (const svg of document.querySelectorAll('svg')) {
    if (!seen(svg) || svg.parentElement.closest('svg')) continue; // of nested ones the outer counts
    const b = svg.getBoundingClientRect(), free = getComputedStyle(svg).overflow === 'visible' && svg.tagName !== root.tagName;
    const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim() && seen(t)).map(t => ({ s: t.textContent, r: t.getBoundingClientRect(), size: parseFloat(getComputedStyle(t).fontSize) * (svg.getScreenCTM ? svg.getScreenCTM().a : 1) }));
    const figure = svg.closest('figure, td, th'), f = figure && figure.getBoundingClientRect();
    texts.forEach((t, i) => {
      if (free && f && (t.r.left < f.left - 1 || t.r.right > f.right + 1 || t.r.top < f.top - 1 || t.r.bottom > f.bottom + 1)) faults.push('text outside its figure: ' + short(t.s));
      if (!free && (t.r.left < b.left - 1 || t.r.right > b.right + 1 || t.r.top < b.top - 1 || t.r.bottom > b.bottom + 1)) faults.push('text outside its picture: ' + short(t.s));
      if (t.size < 11.5) faults.push('text smaller than 12 px: ' + short(t.s) + ' ' + t.size.toFixed(1));
      for (const u of texts.slice(i + 1)) { // line boxes are higher than ink: allow 4 px
        const w = Math.min(t.r.right, u.r.right) - Math.max(t.r.left, u.r.left), h = Math.min(t.r.bottom, u.r.bottom) - Math.max(t.r.top, u.r.top);
        if (w > 1 && h > 4) faults.push('texts overlap: ' + short(t.s) + ' | ' + short(u.s));
      }
    });
    for (const g of svg.querySelectorAll('path,rect,circle,line')) {
      if (free || !seen(g) || g.closest('defs, clipPath')) continue;
      const r = g.getBoundingClientRect();
      if (r.left < b.left - 4 || r.right > b.right + 4 || r.top < b.top - 4 || r.bottom > b.bottom + 4) { faults.push('mark outside its picture: ' + g.tagName + ' ' + (g.getAttribute('d') || '').slice(0, 24)); break; }
    }
    const role = svg.getAttribute('role'); // a group has links
    if (role !== 'img' && role !== 'group' && svg.getAttribute('aria-hidden') !== 'true' && !svg.closest('[aria-hidden=true]')) faults.push('picture without role or label');
    if (role && !svg.getAttribute('aria-label')) faults.push('picture without aria-label');
  }
  for (const box of document.querySelectorAll('.scroll')) if (seen(box) && box.scrollWidth > box.clientWidth + 1) faults.push('table wider than its place: ' + (box.getAttribute('aria-label') || short(box.textContent)) + ' ' + box.scrollWidth + ' > ' + box.clientWidth);
  const lum = c => { const v = c.map(x => (x /= 255) <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
  const back = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c.slice(0, 3); } return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255]; };
  const low = new Set();
  for (const e of document.querySelectorAll('body *:not(svg *):not(script):not(style)')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !seen(e) || e.disabled) continue;
    const f = lum(rgb(getComputedStyle(e).color).slice(0, 3)), g = lum(back(e)), k = (Math.max(f, g) + .05) / (Math.min(f, g) + .05);
    if (k < 4.5) low.add('contrast ' + k.toFixed(2) + ': ' + short(e.textContent));
  }
  faults.push(...low);
  for (const e of document.querySelectorAll('a[href],button,input,select')) { const r = e.getBoundingClientRect(); if (seen(e) && e.tagName.toUpperCase() !== 'A' && !e.closest('th') && (r.height < 18)) faults.push('control too small: ' + (short(e.textContent) || e.id)); }
  const walk = document.createTreeWalker(document.body ?? root, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walk.nextNode()) for (const m of walk.currentNode.data.matchAll(/\d{4}-\d\d-\d\d/g)) {
    if (walk.currentNode.parentElement.closest('pre, code, script, style')) continue;
    range.setStart(walk.currentNode, m.index);
    range.setEnd(walk.currentNode, m.index + m[0].length);
    if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) faults.push('date on two lines: ' + m[0]);
  }
  for (const m of document.body ? document.body.innerText.match(/-\d\.\d+e|\d\.\d{5,}|NaN|undefined|Infinity/g) || [] : []) faults.push('number as a machine writes it: ' + m);
  return faults;
}
