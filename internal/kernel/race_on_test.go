//go:build race

package kernel

// raceDetector: sync.Pool throws some of its content away on purpose then.
const raceDetector = true
