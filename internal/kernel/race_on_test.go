//go:build race

package kernel

// raceDetector: with it, sync.Pool drops some of its content on purpose.
const raceDetector = true
