package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Width of printed lines without a terminal, and its limits on a terminal.
const (
	plainWidth = 80
	leastWidth = 60
	mostWidth  = 120
)

// screenSize is the size of the terminal that a stream writes to; ok is false for other streams.
func screenSize(w io.Writer) (width, height int, ok bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return width, height, err == nil
}

// lineWidth is the width of printed lines on a stream.
func lineWidth(w io.Writer) int {
	width, _, ok := screenSize(w)
	if !ok {
		return plainWidth
	}
	return min(max(width, leastWidth), mostWidth)
}
