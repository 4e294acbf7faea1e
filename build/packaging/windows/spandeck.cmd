@echo off
rem The command line of Spandeck. It needs Node 22.19 or later as "node" in PATH.
node --disable-warning=ExperimentalWarning "%~dp0..\app.asar.unpacked\dist\cli.js" %*
