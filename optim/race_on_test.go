//go:build race

package optim_test

// raceDetector: it allocates on its own account, and pools of scratch memory leak
// on purpose.
const raceDetector = true
