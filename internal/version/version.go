// Package version says which build of the program this is.
package version

import (
	"runtime"
	"runtime/debug"
)

// Version is the release; builds between releases carry the commit as well.
const Version = "0.1.0"

// Info describes a build and the machine it runs on.
type Info struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	CPUs     int    `json:"cpus"`
	SIMD     string `json:"simd"`
}

// Get reads the build information of the running binary; simd names the
// instruction set its kernels use.
func Get(simd string) Info {
	i := Info{Version: Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), SIMD: simd}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return i
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i
}
