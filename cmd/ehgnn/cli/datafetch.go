package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/data/fetch"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/progress"
	"github.com/ehgnn/ehgnn/internal/sanitize"
)

// listed is a catalogue set in the output of data list.
type listed struct {
	fetch.Set
	Size      int64  `json:"size"` // bytes to download; 0 if some sizes are unknown
	Checksums string `json:"checksums"`
	Path      string `json:"path"` // location; "" if it was not fetched
}

func dataList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List known data sets with size, licence and location",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var sets []listed
			for _, s := range fetch.Catalogue() {
				l := listed{Set: s, Checksums: checksums(s)}
				if size, known := s.Size(); known {
					l.Size = size
				}
				l.Path, _ = s.Locate(a.dataDir)
				sets = append(sets, l)
			}
			return a.emit(sets, func(w io.Writer) error { return printSets(w, a.dataDir, sets) })
		},
	}
}

// checksums says how many of a set's files have a checksum in the catalogue.
func checksums(s fetch.Set) string {
	known := lists.Count(s.Files, func(f fetch.File) bool { return f.SHA256 != "" })
	switch known {
	case len(s.Files):
		return "known"
	case 0:
		return "at first fetch"
	}
	return fmt.Sprintf("%d of %d known", known, len(s.Files))
}

func printSets(w io.Writer, dir string, sets []listed) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tKIND\tFORMAT\tGRAPHS\tCLASSES\tSPLIT\tSIZE\tCHECKSUMS\tLICENCE\tHERE")
	for _, s := range sets {
		classes := fmt.Sprint(s.Classes)
		if s.Targets > 0 {
			classes = fmt.Sprintf("%d tasks", s.Targets)
			if s.Targets == 1 {
				classes = "1 task"
			}
		}
		here := "no"
		if s.Path != "" {
			here = "yes"
		}
		split := cmp.Or(s.Split, "-")
		size := "?"
		if s.Size > 0 {
			size = megabytes(s.Size)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Kind, s.Format, s.Graphs, classes, split, size, s.Checksums, s.Licence, here)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeLines(w, "",
		"Data folder: "+dir,
		"Other sets of the TU collection: ehgnn data fetch tu/NAME. A checksum that is not known is",
		"recorded at the first fetch, once the set was read and has the published sizes.")
}

// megabytes formats a number of bytes.
func megabytes(n int64) string {
	if n < 100_000 {
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func dataFetch(a *app) *cobra.Command {
	var opts fetch.Options
	var maxMB int
	cmd := &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Download known data sets into the data folder",
		Long: `Download known data sets into the data folder. An interrupted download continues where
it stopped, also in a later call. A set appears only when it is complete, checked and
readable.`,
		Example: "  ehgnn data fetch MUTAG\n  ehgnn data fetch ogbg_molhiv cora",
		Args:    cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fetch.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(atLeast("retries", opts.Retries, 0), atLeast("max-size", maxMB, 0)); err != nil {
				return err
			}
			opts.MaxSize = int64(maxMB) * 1_000_000
			if opts.Stall <= 0 {
				return usage(fmt.Errorf("--timeout is %v, expected a positive time", opts.Stall))
			}
			if a.dataDir == "" {
				return usage(errors.New("no data folder: name one with --data-dir or EHGNN_DATA"))
			}
			opts.Dir = a.dataDir
			var sets []fetch.Set
			for _, name := range args {
				s, ok := fetch.Lookup(name)
				if !ok {
					return usage(fmt.Errorf("no data set %q is known%s; see ehgnn data list", name, nearestName(name)))
				}
				sets = append(sets, s)
			}
			if err := opts.Validate(); err != nil {
				return usage(err)
			}
			if opts.Retries == 0 {
				opts.Retries = -1 // means none; 0 is the default of the package
			}
			var results []*fetch.Result
			for _, s := range sets {
				p := &download{app: a, name: s.Name, last: time.Now()}
				opts.Progress = p.show
				res, err := fetch.Fetch(cmd.Context(), s, opts)
				p.finish()
				if err != nil {
					return err
				}
				results = append(results, res)
			}
			if a.json && len(results) == 1 {
				return a.emit(results[0], nil)
			}
			return a.emit(results, func(w io.Writer) error {
				for _, r := range results {
					if err := printFetched(w, r); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Mirror, "url", "", "base of a mirror that has each file under the host and path of its public URL")
	f.BoolVar(&opts.Force, "force", false, "download again, and accept another checksum than the recorded one")
	f.IntVar(&opts.Retries, "retries", 5, "attempts in a row without new data after which a download fails")
	f.IntVar(&maxMB, "max-size", 0, "MB after which the download of a file of unknown size fails (default: from the catalogue, 1074 for tu/NAME)")
	f.DurationVar(&opts.Stall, "timeout", 30*time.Second, "time without data after which a connection is closed")
	return cmd
}

func printFetched(w io.Writer, r *fetch.Result) error {
	if r.Already {
		return writeLines(w, fmt.Sprintf("%s is in %s already", r.Name, r.Path))
	}
	first := lists.Count(r.Files, func(f fetch.Fetched) bool { return f.Checked == "first" })
	text := "checksums right"
	if first > 0 {
		text = fmt.Sprintf("%d of %d checksums recorded now, because none was known; the sizes are the published ones", first, len(r.Files))
	}
	return writeLines(w, fmt.Sprintf("%s: %s in %d files, %s", r.Name, megabytes(r.Bytes), len(r.Files), text),
		fmt.Sprintf("  %d graphs, %.2f nodes and %.2f edges each; in %s", r.Info.NumGraphs, r.Info.MeanNodes, r.Info.MeanEdges, r.Path))
}

// download shows the progress of a download on standard error: on a terminal a bar with rate and
// remaining time, elsewhere a line from time to time, and nothing with --quiet.
type download struct {
	app  *app
	name string
	bar  *progressbar.ProgressBar
	last time.Time
}

func (d *download) show(p fetch.Progress) {
	switch {
	case d.app.quiet:
	case p.Note != "":
		if d.bar != nil {
			_ = d.bar.Clear() // a display error must not stop the download
		}
		d.app.tell("%s: %s: %s", d.name, p.File, p.Note)
	case d.app.Terminal:
		if d.bar == nil {
			d.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(d.app.Stderr), progressbar.OptionShowBytes(true),
				progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(24), progressbar.OptionSetDescription(sanitize.Text(d.name)))
		}
		if p.Total > 0 && d.bar.GetMax64() != p.Total {
			d.bar.ChangeMax64(p.Total)
		}
		_ = d.bar.Set64(p.Done)
	case time.Since(d.last) >= progress.Interval:
		d.last = time.Now()
		of := ""
		if p.Total > 0 {
			of = " of " + megabytes(p.Total)
		}
		d.app.tell("%s: %s%s  %s", d.name, megabytes(p.Done), of, p.File)
	}
}

// finish ends the display.
func (d *download) finish() {
	if d.bar != nil {
		_ = d.bar.Finish()
	}
}
