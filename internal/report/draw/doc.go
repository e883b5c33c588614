// Package draw makes pictures: a Scene has texts and paths at given positions, in colours that follow the reader's
// light or dark scheme. It is written as SVG and as PNG, which look the same. gonum.org/v1/plot draws the PNG.
//
// The package handles only positions and colours; callers give them a meaning and write files.
package draw
