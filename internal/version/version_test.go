package version

import (
	"runtime/debug"
	"testing"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

func TestDescribe(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "-buildmode", Value: "exe"}, {Key: "vcs.revision", Value: commit}, {Key: "vcs.modified", Value: "true"}}
	of := func(path, version string, settings []debug.BuildSetting, deps ...*debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: path, Version: version}, Settings: settings, Deps: deps}
	}
	const pseudo = "v0.1.1-0.20261126101112-0123456789ab"
	tests := []struct {
		name    string
		build   *debug.BuildInfo
		release string
		want    Info
		text    string
	}{
		{"nothing known", nil, "", Info{Version: "devel"}, "devel"},
		{"no module", &debug.BuildInfo{}, "", Info{Version: "devel"}, "devel"},
		{"go install of a release", of(module, "v0.1.0", nil), "", Info{Version: "0.1.0"}, "0.1.0"},
		{"checkout without versions", of(module, "(devel)", nil), "", Info{Version: "devel"}, "devel"},
		{"checkout of a tag", of(module, "v0.1.0", vcs[:2]), "", Info{Version: "0.1.0", Commit: commit}, "0.1.0 (0123456789ab)"},
		{"checkout after a tag", of(module, pseudo+"+dirty", vcs), "",
			Info{Version: "0.1.1-0.20261126101112-0123456789ab+dirty", Commit: commit, Modified: true}, "0.1.1-0.20261126101112-0123456789ab+dirty"},
		{"module below", of(module+"/scale", "v0.1.0", vcs[:2]), "", Info{Version: "0.1.0", Commit: commit}, "0.1.0 (0123456789ab)"},
		{"set by the linker", of(module, "(devel)", vcs), "0.2.0", Info{Version: "0.2.0", Commit: commit, Modified: true}, "0.2.0 (0123456789ab, with changes)"},
		{"library", of("example.org/fraud", "v3.0.0", vcs, &debug.Module{Path: "example.org/x", Version: "v9.0.0"}, &debug.Module{Path: module, Version: "v0.1.0"}), "",
			Info{Version: "0.1.0"}, "0.1.0"},
		{"library of a folder", of("example.org/fraud", "v3.0.0", vcs, &debug.Module{Path: module, Version: "v0.1.0", Replace: &debug.Module{Path: "../ehgnn"}}), "",
			Info{Version: "devel"}, "devel"},
		{"library of a fork", of("example.org/fraud", "v3.0.0", nil, &debug.Module{Path: module, Version: "v0.1.0", Replace: &debug.Module{Path: "example.org/ehgnn", Version: "v0.1.2"}}), "",
			Info{Version: "0.1.2"}, "0.1.2"},
		{"a module whose name begins alike", of(module+"x", "v3.0.0", vcs), "", Info{Version: "devel"}, "devel"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := describe(test.build, test.release)
			if got != test.want || got.Name() != test.text {
				t.Errorf("describe is %+v, named %q, want %+v, named %q", got, got.Name(), test.want, test.text)
			}
		})
	}
}

func TestReleaseOf(t *testing.T) {
	for version, want := range map[string]string{
		"0.1.0": "0.1.0", "1.2.3-rc.1": "1.2.3-rc.1", "devel": "devel",
		"0.0.0-20261126101112-0123456789ab":         "devel",
		"0.1.1-0.20261126101112-0123456789ab":       "devel",
		"0.1.1-0.20261126101112-0123456789ab+dirty": "devel",
		"0.1.1-rc.1.0.20261126101112-0123456789ab":  "devel",
		"0.1.0+dirty": "devel",
	} {
		if got := releaseOf(version); got != want {
			t.Errorf("releaseOf(%q) is %q, want %q", version, got, want)
		}
	}
}

func TestGet(t *testing.T) {
	i := Get("pure")
	if i.SIMD != "pure" || i.Go == "" || i.OS == "" || i.Arch == "" || i.CPUs < 1 {
		t.Errorf("the machine is %+v", i)
	}
	if i.Version == "" || i.Version != String() || releaseOf(i.Version) != Release() {
		t.Errorf("the version is %q, String %q, Release %q", i.Version, String(), Release())
	}
}
