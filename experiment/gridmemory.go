package experiment

import "fmt"

// dataMemory is the memory of the data that are held.
func (g *Grid) dataMemory() int64 {
	var bytes int64
	for _, c := range g.columns {
		bytes += c.memory
	}
	return bytes
}

// formatBytes writes a size for people: 1.5 GiB.
func formatBytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, at := float64(n), 0
	for v >= 1024 && at < len(units)-1 {
		v, at = v/1024, at+1
	}
	if v == float64(int64(v)) {
		return fmt.Sprintf("%.0f %s", v, units[at])
	}
	return fmt.Sprintf("%.1f %s", v, units[at])
}
