// Command sbom lists the modules that are in a program of Go, in the format CycloneDX 1.6:
//
//	sbom PROGRAM VERSION
//
// The list is what the build recorded in the program. It has no time and no serial number, so that
// equal programs have equal lists.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// component is one part of the program.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl,omitempty"`
}

// document is the list of parts.
type document struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("%d arguments, expected the program and its version", len(args))
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	info.Main.Version = args[1] // the build knows that of its commit alone
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(list(info))
}

// list makes the list of what a build recorded.
func list(info *debug.BuildInfo) document {
	d := document{Format: "CycloneDX", Spec: "1.6", Version: 1}
	d.Metadata.Component = part("application", &info.Main)
	d.Components = append(d.Components, component{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion})
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.Components = append(d.Components, part("library", m))
	}
	return d
}

func part(kind string, m *debug.Module) component {
	return component{Type: kind, Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version}
}
