//go:build !ehgnndebug

package tensor

// debug turns on the checks for use after Close; see debug_on.go.
const debug = false
