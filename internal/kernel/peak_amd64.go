//go:build !noasm

package kernel

// fmaSIMD runs n rounds of the vector loop of the level, if it has one, and
// returns the operations of a round.
func fmaSIMD(n int) int64 {
	switch level {
	case levelAVX512:
		fmaLoopAVX512(n)
		return 24 * 16 * 2
	case levelAVX2:
		fmaLoopAVX2(n)
		return 12 * 8 * 2
	}
	return 0
}
