// Package version describes the build of the program.
package version

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// release is the version that the linker sets if Go does not record one, for example in a build
// from an archive of the source:
//
//	go build -ldflags "-X github.com/ehgnn/ehgnn/internal/version.release=0.1.0" ./cmd/ehgnn
var release string

// Unknown is the version of a build without a recorded version, such as a test.
const Unknown = "devel"

const module = "github.com/ehgnn/ehgnn"

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

// Get returns the description of the running binary. simd names the instruction set of its kernels.
func Get(simd string) Info {
	i := running()
	i.Go, i.OS, i.Arch, i.CPUs, i.SIMD = runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), simd
	return i
}

// String returns the version of the running binary: that of a release, such as 0.1.0, the
// pseudo-version of a commit, or Unknown.
func String() string { return running().Version }

// afterRelease matches what Go appends to a version between releases: the time and commit of a
// pseudo-version, and a mark for uncommitted changes.
var afterRelease = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}(\+|$)|\+`)

// Release returns String for a release and Unknown for every other build. Files that must have the
// same bytes for every commit record this.
func Release() string { return releaseOf(String()) }

func releaseOf(version string) string {
	if afterRelease.MatchString(version) {
		return Unknown
	}
	return version
}

// Name returns the version, with the commit if the version does not contain it.
func (i Info) Name() string {
	short := i.Commit[:min(12, len(i.Commit))]
	switch {
	case short == "" || strings.Contains(i.Version, short):
		return i.Version
	case i.Modified:
		return i.Version + " (" + short + ", with changes)"
	}
	return i.Version + " (" + short + ")"
}

// String returns Name with the machine, as programs print it.
func (i Info) String() string {
	return fmt.Sprintf("%s, %s %s/%s, kernels: %s", i.Name(), i.Go, i.OS, i.Arch, i.SIMD)
}

var running = sync.OnceValue(func() Info {
	build, _ := debug.ReadBuildInfo()
	return describe(build, release)
})

// describe returns version and commit from what Go recorded about a build, which may be nil. If a
// program of another module uses this one as a library, its own commit is not recorded.
func describe(build *debug.BuildInfo, release string) Info {
	var i Info
	if build == nil {
		build = &debug.BuildInfo{}
	}
	var recorded string
	if path := build.Main.Path; path == module || strings.HasPrefix(path, module+"/") {
		recorded = build.Main.Version
		for _, s := range build.Settings {
			switch s.Key {
			case "vcs.revision":
				i.Commit = s.Value
			case "vcs.modified":
				i.Modified = s.Value == "true"
			}
		}
	} else {
		recorded = dependency(build.Deps)
	}
	i.Version = strings.TrimPrefix(cmp.Or(release, recorded), "v")
	if i.Version == "" || i.Version == "(devel)" {
		i.Version = Unknown
	}
	return i
}

// dependency returns the version of this module among the modules of a program, or "" if a folder
// replaces it.
func dependency(list []*debug.Module) string {
	for _, m := range list {
		switch {
		case m.Path != module:
		case m.Replace != nil:
			return m.Replace.Version
		default:
			return m.Version
		}
	}
	return ""
}
