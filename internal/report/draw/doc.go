// Package draw makes pictures: a Scene has texts and paths at places of their own, in colours that follow the reader's scheme, and is written as SVG
// and as PNG, which show the same. Letters and pixels of PNG are by gonum.org/v1/plot.
//
// It knows places and inks; what they mean, and where files go, is left to others.
package draw
